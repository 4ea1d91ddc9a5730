// A made-up history of any length, to be sent to a server that has none of it yet: series sampled
// at a steady interval. One in four each is a counter, a temperature, a share of a hundred and a
// value that hardly ever changes.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"
#include "bench/replay/request.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::replay {

struct HistoryOptions {
  uint32_t series_count = 0;
  uint64_t point_count = 0;
  int64_t start_ms = 0;
  int64_t interval_ms = 60'000;
  // One series after the other, as exporters of old data send it; otherwise in the order of time.
  bool is_by_series = false;
};

// The samples of one series in the order of time, always the same.
class HistorySeries {
 public:
  HistorySeries(const HistoryOptions& options, uint32_t series)
      : options_(options), series_(series) {}

  LabelSet Labels() const;
  Sample Next();

 private:
  const HistoryOptions options_;
  const uint32_t series_;
  uint64_t next_point_ = 0;
  double value_ = 0;
};

// Passes the requests of one connection to `take`; the connections share the series. Stops with the
// status of `take` if it is not OK.
absl::Status MakeHistory(const HistoryOptions& history, const RequestOptions& options,
                         uint32_t connection,
                         const std::function<absl::Status(const Request&)>& take);

}  // namespace lockstep::replay
