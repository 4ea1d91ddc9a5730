#include "storage/rollup/series_rollup.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace lockstep {
namespace {

bool SameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// One bucket. Precondition: samples ascend in time, none is NaN, and the first is added too.
struct BucketSum {
  Sample first, last;
  double low, high;
  int64_t count = 0;
  bool never_fell = true;

  explicit BucketSum(Sample sample)
      : first(sample), last(sample), low(sample.value), high(sample.value) {}
  void Add(Sample sample) {
    ++count;
    never_fell = never_fell && sample.value >= last.value;
    if (sample.value < low) low = sample.value;
    if (sample.value > high) high = sample.value;
    last = sample;
  }
  bool Ascends() const {
    return never_fell && SameBits(first.value, low) && SameBits(last.value, high);
  }
};

}  // namespace

void BucketTimes::Clear() {
  buckets = 0;
  counts.clear();
  firsts.clear();
  lasts.clear();
}

void SeriesRollup::Clear() {
  times.Clear();
  lows.clear();
  highs.clear();
  lasts.clear();
  ascends = true;
}

bool RollUp(const SampleColumns& columns, int64_t begin_ms, SeriesRollup& rollup) {
  rollup.Clear();
  // A start timestamp signals a restart that no bucket shows.
  const auto is_known = [](int64_t start_ms) { return start_ms != 0; };
  if (!columns.histograms.empty() || std::ranges::any_of(columns.start_timestamps_ms, is_known)) {
    return false;
  }
  const std::span<const int64_t> times = columns.timestamps_ms;
  const std::span<const double> values = columns.values;
  if (!times.empty() && (times.front() < begin_ms || times.back() >= begin_ms + kRollupWindowMs)) {
    return false;
  }
  for (size_t i = 0; i < times.size();) {
    if (IsStaleNan(values[i])) {
      ++i;
      continue;
    }
    const uint32_t bucket = BucketOf(times[i], begin_ms);
    const int64_t end_ms = begin_ms + bucket * kThinningBucketMs;
    BucketSum sum({times[i], values[i]});
    for (; i < times.size() && times[i] <= end_ms; ++i) {
      if (IsStaleNan(values[i])) continue;
      if (std::isnan(values[i])) return false;
      sum.Add({times[i], values[i]});
    }
    rollup.times.buckets |= uint64_t{1} << bucket;
    rollup.times.counts.push_back(sum.count);
    rollup.times.firsts.push_back(end_ms - sum.first.timestamp_ms);
    rollup.times.lasts.push_back(end_ms - sum.last.timestamp_ms);
    rollup.lows.push_back(sum.low);
    rollup.highs.push_back(sum.high);
    rollup.lasts.push_back(sum.last.value);
    rollup.ascends = rollup.ascends && sum.Ascends();
  }
  if (rollup.ascends) rollup.lasts.clear();
  return true;
}

}  // namespace lockstep
