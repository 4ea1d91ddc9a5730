// All limits on what an HTTP client may use, in one place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lockstep::server {

struct HttpLimits {
  size_t max_head_bytes = 64 << 10;
  uint64_t max_body_bytes = 64 << 20;
  uint64_t max_body_bytes_in_flight = 512 << 20;  // over all connections
  size_t max_connections = 4096;                  // shared among networks: see ConnectionShares
  size_t max_reserved_connections = 64;           // in addition, for probes
  size_t max_queued_requests = 1024;              // waiting for a worker
  size_t max_queued_probes = 64;                  // waiting for the worker reserved for probes

  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds head_timeout{10'000};  // from a request's first byte
  std::chrono::milliseconds body_timeout{60'000};
  // How long a client may send a body or receive a response below this rate.
  std::chrono::milliseconds slow_transfer_timeout{10'000};
  uint64_t min_transfer_bytes_per_second = 4 << 10;
  // Until the first accepted request; also between rejected ones.
  std::chrono::milliseconds first_request_timeout{10'000};
  std::chrono::milliseconds idle_timeout{300'000};  // between requests
  // How long a client may take to read the last response before the connection is closed.
  std::chrono::milliseconds linger_timeout{3'000};
};

}  // namespace lockstep::server
