// What the gRPC door did since it was opened, for whoever turns it into metrics.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace lockstep::server {

// A snapshot; fields may be a moment apart.
struct OtlpGrpcStats {
  std::map<std::string, uint64_t>
      calls;                     // answered, by the name of their status: "OK", "UNAVAILABLE"...
  uint64_t calls_in_flight = 0;  // handed to the handler and not answered
  uint64_t received_bytes = 0;   // of messages, as sent
  uint64_t open_connections = 0;
  uint64_t refused_connections = 0;    // over the limit
  uint64_t broken_connections = 0;     // ended for a flood or a breach of HTTP/2
  uint64_t displaced_connections = 0;  // closed to make room for others
};

}  // namespace lockstep::server
