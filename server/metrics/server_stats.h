// The counters of the HTTP server and of the gRPC server since their start.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace lockstep::server {

// A snapshot; fields may be slightly out of sync.
struct HttpStats {
  uint64_t open_connections = 0;
  uint64_t accepted_connections = 0;
  uint64_t refused_connections = 0;    // over the limit
  uint64_t displaced_connections = 0;  // closed while waiting, to make room for others
  uint64_t requests = 0;               // with a complete head
  uint64_t malformed_requests = 0;     // not HTTP, or too large
  uint64_t timed_out_requests = 0;     // head or body arrived too slowly
  uint64_t denied_requests = 0;        // without valid credentials
  uint64_t overload_refusals = 0;      // 503 for lack of a worker or body memory
  uint64_t abandoned_requests = 0;     // the client disconnected while its request was handled
  uint64_t running_requests = 0;       // given to the handler but not answered yet
  uint64_t body_bytes_held = 0;
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// The underlying counters. Safe from any thread.
struct HttpCounters {
  std::atomic<uint64_t> refused_connections{0};  // by sessions, in addition to the listener's
  std::atomic<uint64_t> displaced_connections{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> malformed_requests{0};
  std::atomic<uint64_t> timed_out_requests{0};
  std::atomic<uint64_t> denied_requests{0};
  std::atomic<uint64_t> overload_refusals{0};
  std::atomic<uint64_t> abandoned_requests{0};
  std::atomic<uint64_t> received_bytes{0};
  std::atomic<uint64_t> sent_bytes{0};
};

// A snapshot; fields may be slightly out of sync.
struct OtlpGrpcStats {
  std::map<std::string, uint64_t> calls;  // answered, by status name: "OK", "UNAVAILABLE"...
  uint64_t calls_in_flight = 0;           // given to the handler but not answered yet
  uint64_t received_bytes = 0;            // of messages, as sent
  uint64_t open_connections = 0;
  uint64_t refused_connections = 0;    // over the limit
  uint64_t broken_connections = 0;     // closed because of a flood or an HTTP/2 error
  uint64_t displaced_connections = 0;  // closed to make room for others
};

}  // namespace lockstep::server
