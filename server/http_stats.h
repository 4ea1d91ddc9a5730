// What the HTTP front did since it was started.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace lockstep::server {

// A snapshot; fields may be a moment apart.
struct HttpStats {
  uint64_t open_connections = 0;
  uint64_t accepted_connections = 0;
  uint64_t refused_connections = 0;    // over the limit
  uint64_t displaced_connections = 0;  // closed while they waited, for others
  uint64_t requests = 0;               // with a complete head
  uint64_t malformed_requests = 0;     // not HTTP, or over a limit of size
  uint64_t timed_out_requests = 0;     // head or body came too slowly
  uint64_t denied_requests = 0;        // without valid credentials
  uint64_t overload_refusals = 0;      // 503 for want of a worker or of body memory
  uint64_t abandoned_requests = 0;     // the client hung up while its request was worked on
  uint64_t running_requests = 0;       // handed to the handler and not answered
  uint64_t body_bytes_held = 0;
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// The counters behind it. Safe from any thread.
struct HttpCounters {
  std::atomic<uint64_t> refused_connections{0};  // by their sessions, besides the listener's
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

}  // namespace lockstep::server
