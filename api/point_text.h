// PointText: float points as JSON, [T,"V"],[T,"V"]: by far the most of what a long result is made of. It
// remembers the texts of times, which series share, and of a value that is repeated. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/float_format.h"

namespace lockstep::api {

class PointText {
 public:
  // Appends the points of a series with commas between them. Precondition: as many times as values.
  void Append(std::span<const int64_t> timestamps_ms, std::span<const double> values,
              std::string& out);

 private:
  struct TimeText {
    int64_t timestamp_ms = 0;
    size_t length = 0;  // 0: none yet
    std::array<char, kMaxTimestampBytes> bytes;
  };
  const TimeText& TextOf(size_t place, int64_t timestamp_ms);

  std::vector<TimeText> times_;  // by place in the series
};

}  // namespace lockstep::api
