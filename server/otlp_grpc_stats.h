// What the gRPC door did since it was opened, for whoever turns it into metrics.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace lockstep::server {

// A snapshot; fields may be a moment apart.
struct OtlpGrpcStats {
  std::map<std::string, uint64_t>
      calls;  // answered, by the name of their status: "OK", "UNAVAILABLE"...
  uint64_t calls_in_flight = 0;
  uint64_t received_bytes = 0;  // of messages, as sent
};

}  // namespace lockstep::server
