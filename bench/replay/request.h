// Creates remote write 1.0 requests with a fleet's samples.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "bench/replay/fleet.h"
#include "storage/write.h"

namespace lockstep::replay {

struct Request {
  uint32_t sample_count = 0;
  std::string body;  // protobuf, snappy
};

struct RequestOptions {
  uint32_t connection_count = 2;
  uint32_t samples_per_request = 2000;
};

// Counts the samples and encodes them.
Request Encode(const WriteRequest& request);

// The points [begin, end) of every series.
struct PointRange {
  size_t begin = 0;
  size_t end = 0;
};

// The series sent over `connection`: all series of a host use the same one, in order.
uint64_t SeriesOfConnection(const Fleet& fleet, const RequestOptions& options, uint32_t connection);

// Passes the requests of one connection to `take`: one point of every series, then the next, as a
// scraper sends them. Stops with the status of `take` if it is not OK.
absl::Status MakeRequests(const Fleet& fleet, PointRange points, const RequestOptions& options,
                          uint32_t connection,
                          const std::function<absl::Status(const Request&)>& take);

}  // namespace lockstep::replay
