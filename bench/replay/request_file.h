// Remote-write requests encoded ahead of time, so that sending them costs the sender next to nothing.
//
//   +---------------+-----------------+---------------+==================+
//   | connection u32| sample count u32| body size u32 | body (snappy)    |  one request, little-endian,
//   +---------------+-----------------+---------------+==================+  again and again
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/replay/fleet.h"

namespace lockstep::replay {

struct Request {
  uint32_t sample_count = 0;
  std::string body;
};

struct EncodeOptions {
  uint32_t connection_count = 2;  // a host's series all go over the same one
  uint32_t samples_per_request = 2000;
};

// Writes the fleet's points [first_point, end_point): one point of every series, then the next, as
// a scraper does.
absl::Status EncodeRequests(const Fleet& fleet, size_t first_point, size_t end_point,
                            const EncodeOptions& options, const std::string& path);

// The requests of each connection, in their order.
absl::StatusOr<std::vector<std::vector<Request>>> ReadRequests(const std::string& path);

}  // namespace lockstep::replay
