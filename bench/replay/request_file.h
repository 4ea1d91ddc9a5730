// Remote write requests encoded ahead of time, so that sending them costs the sender almost
// nothing.
//
//   +---------------+-----------------+---------------+==================+
//   | connection u32| sample count u32| body size u32 | body (snappy)    |  request (little-
//   +---------------+-----------------+---------------+==================+  endian), repeated
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bench/replay/fleet.h"
#include "bench/replay/request.h"

namespace lockstep::replay {

// Writes the requests of all connections, connection by connection.
absl::Status EncodeRequests(const Fleet& fleet, PointRange points, const RequestOptions& options,
                            const std::string& path);

// The requests of each connection, in order.
absl::StatusOr<std::vector<std::vector<Request>>> ReadRequests(const std::string& path);

}  // namespace lockstep::replay
