// TargetInfoTimes: when the target_info of a resource has samples. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/sample.h"

namespace lockstep::otlp {

class TargetInfoTimes {
 public:
  void Clear() { *this = TargetInfoTimes(); }
  // Of a point of the resource.
  void Add(int64_t time_ms) {
    first_ms_ = std::min(first_ms_, time_ms);
    last_ms_ = std::max(last_ms_, time_ms);
  }
  // 1 at the first and the last time and between them, so that queries that look back for `lookback_ms` find it
  // everywhere. Not more than a day before the last: a sender that has lost its clock shall not make
  // millions of samples.
  std::vector<Sample> Samples(int64_t lookback_ms) const {
    constexpr int64_t kMaxSpanMs = int64_t{24} * 60 * 60 * 1000;
    std::vector<Sample> samples;
    if (first_ms_ > last_ms_) return samples;
    const int64_t step_ms = std::max<int64_t>(lookback_ms / 2, 1000);
    for (int64_t t = std::max(first_ms_, last_ms_ - kMaxSpanMs); t < last_ms_; t += step_ms) {
      samples.push_back({t, 1});
    }
    samples.push_back({last_ms_, 1});
    return samples;
  }

 private:
  int64_t first_ms_ = std::numeric_limits<int64_t>::max();
  int64_t last_ms_ = std::numeric_limits<int64_t>::min();
};

}  // namespace lockstep::otlp
