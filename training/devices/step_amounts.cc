#include "training/devices/step_amounts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "training/job/job.h"

namespace lockstep::training {
namespace {

constexpr double kMsPerSecond = 1000;

// How much there was from the first sample to each other one.
class Totals {
 public:
  Totals(const SampleColumns& samples, Measured measured, int64_t longest_gap_ms)
      : is_counter_(measured == Measured::kCounter), longest_gap_ms_(longest_gap_ms) {
    bool has_ended = false;
    for (size_t i = 0; i < samples.values.size(); ++i) {
      const double value = samples.values[i];
      if (IsStaleNan(value)) {
        has_ended = true;
      } else if (!is_counter_ || !std::isnan(value)) {
        Add(samples.timestamps_ms[i], value, has_ended);
        has_ended = false;
      }
    }
  }

  double In(const TimeRange& time) const {
    if (time.max_ms <= time.min_ms) return kUnknown;
    if (!is_counter_ && HasGap(time)) return kUnknown;
    return At(time.max_ms) - At(time.min_ms);
  }

 private:
  void Add(int64_t time_ms, double value, bool has_ended) {
    double grown = 0;
    bool is_known = false;
    if (!times_ms_.empty()) {
      const int64_t covered_ms = time_ms - times_ms_.back();
      is_known = !has_ended && covered_ms <= longest_gap_ms_ && !std::isnan(value);
      if (is_counter_) {
        grown = value - (value >= last_value_ ? last_value_ : 0);
      } else if (is_known) {
        grown = value * static_cast<double>(covered_ms) / kMsPerSecond;
      }
    }
    times_ms_.push_back(time_ms);
    totals_.push_back(times_ms_.size() == 1 ? 0 : totals_.back() + grown);
    gaps_.push_back((gaps_.empty() ? 0 : gaps_.back()) + (is_known ? 0 : 1));
    last_value_ = value;
  }

  // The first sample at or after the time.
  size_t IndexOf(int64_t time_ms) const {
    return static_cast<size_t>(std::ranges::lower_bound(times_ms_, time_ms) - times_ms_.begin());
  }

  // Whether the time since the sample before is covered.
  bool IsKnown(size_t i) const { return i > 0 && gaps_[i] == gaps_[i - 1]; }

  double At(int64_t time_ms) const {
    const size_t i = IndexOf(time_ms);
    if (i == times_ms_.size()) return kUnknown;
    if (times_ms_[i] == time_ms) return totals_[i];
    if (!IsKnown(i)) return kUnknown;
    const auto passed = static_cast<double>(time_ms - times_ms_[i - 1]);
    const auto covered = static_cast<double>(times_ms_[i] - times_ms_[i - 1]);
    return totals_[i - 1] + (totals_[i] - totals_[i - 1]) * passed / covered;
  }

  // Whether a part of the time is not covered. Times outside of all samples are found by At().
  bool HasGap(const TimeRange& time) const {
    const size_t first = IndexOf(time.min_ms + 1);
    const size_t last = IndexOf(time.max_ms);
    if (last == times_ms_.size() || first == 0) return true;
    return gaps_[last] != gaps_[first - 1];
  }

  const bool is_counter_;
  const int64_t longest_gap_ms_;
  double last_value_ = 0;
  // By sample:
  std::vector<int64_t> times_ms_;
  std::vector<double> totals_;
  std::vector<size_t> gaps_;  // up to this sample, one before the first included
};

}  // namespace

std::vector<double> AmountsIn(const SampleColumns& samples, Measured measured,
                              std::span<const TimeRange> times, int64_t longest_gap_ms) {
  const Totals totals(samples, measured, longest_gap_ms);
  std::vector<double> amounts;
  amounts.reserve(times.size());
  for (const TimeRange& time : times) amounts.push_back(totals.In(time));
  return amounts;
}

}  // namespace lockstep::training
