// PointText: float points as JSON, [T,"V"],[T,"V"], which make up most of a long result. Caches the
// texts of timestamps, which series share, and of repeated values. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/text/float_format.h"

namespace lockstep::api {

class PointText {
 public:
  // Appends the comma-separated points of a series. Precondition: there are as many times as
  // values.
  void Append(std::span<const int64_t> timestamps_ms, std::span<const double> values,
              std::string& out);

 private:
  struct TimeText {
    int64_t timestamp_ms = 0;
    size_t length = 0;  // 0: not formatted yet
    std::array<char, kMaxTimestampBytes> bytes;
  };
  const TimeText& TextOf(size_t place, int64_t timestamp_ms);

  std::vector<TimeText> times_;  // by position in the series
};

}  // namespace lockstep::api
