// Sends encoded requests to a server, each connection from a thread of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/replay/request_file.h"

namespace lockstep::replay {

struct SendReport {
  uint64_t request_count = 0;
  uint64_t sample_count = 0;
  uint64_t retry_count = 0;  // answers of 429 or 5xx, each followed by another try
  double seconds = 0;
};

// One request at a time on each connection, until all are answered 2xx. Any other 4xx is an error.
absl::StatusOr<SendReport> Send(const std::string& url,
                                const std::vector<std::vector<Request>>& connections);

}  // namespace lockstep::replay
