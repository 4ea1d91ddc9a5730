// Sends requests to a server, with one thread per connection.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/replay/history.h"
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
  uint64_t retry_count = 0;  // responses of 429 or 5xx, each retried
  double seconds = 0;
};

// Sends one request at a time on each connection, until all are answered 2xx. Any other 4xx is an
// error.
absl::StatusOr<SendReport> Send(const SendOptions& options,
                                const std::vector<std::vector<Request>>& connections);

// Like Send(), but creates the requests while sending: for runs so long that their requests would
// not fit on a disk.
absl::StatusOr<SendReport> Play(const SendOptions& options, const Fleet& fleet, PointRange points,
                                const RequestOptions& requests);
absl::StatusOr<SendReport> Play(const SendOptions& options, const HistoryOptions& history,
                                const RequestOptions& requests);

}  // namespace lockstep::replay
