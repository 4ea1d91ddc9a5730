// Sends requests to a server, each connection from a thread of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/replay/pace.h"
#include "bench/replay/request.h"

namespace lockstep::replay {

struct SendOptions {
  std::string url;
  Pace pace;  // of all connections together
};

struct SendReport {
  uint64_t request_count = 0;
  uint64_t sample_count = 0;
  uint64_t retry_count = 0;  // answers of 429 or 5xx, each followed by another try
  double seconds = 0;
};

// One request at a time on each connection, until all are answered 2xx. Any other 4xx is an error.
absl::StatusOr<SendReport> Send(const SendOptions& options,
                                const std::vector<std::vector<Request>>& connections);

// The same, with requests that are made while they are sent: for fleets that play for so long that
// their requests would not fit on a disk.
absl::StatusOr<SendReport> Play(const SendOptions& options, const Fleet& fleet, PointRange points,
                                const RequestOptions& requests);

}  // namespace lockstep::replay
