// Shared by the rate functions. Only for the kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep::engine {

enum class PerSecond { kNo, kYes };

// What rate, increase and delta compute: a counter's increase or a gauge's difference, over the
// range or per second.
struct RateQuestion {
  SeriesKind kind = SeriesKind::kCounter;
  PerSecond per_second = PerSecond::kNo;
};

// The start timestamp of sample `i`; 0 if none are stored.
inline int64_t StartOf(std::span<const int64_t> start_timestamps_ms, size_t i) {
  return i < start_timestamps_ms.size() ? start_timestamps_ms[i] : 0;
}

struct SampleTimes {
  int64_t start_ms = 0;  // 0 if unknown
  int64_t timestamp_ms = 0;
};

// Whether start timestamps show that the counter restarted between two neighbouring samples.
bool RestartedByStartTime(SampleTimes previous, SampleTimes current);
// Whether a sample claims to belong to another run that started before the previous sample was
// taken.
bool OverlapsByStartTime(SampleTimes previous, SampleTimes current);

inline double RangeSeconds(const Window& window) {
  return static_cast<double>(window.range_end_ms - window.range_start_ms) / 1000;
}

// How the samples of a window lie in its range.
struct SampleLayout {
  uint64_t sample_count = 0;
  int64_t to_start_ms = 0;  // from the start of the range to the first sample
  int64_t sampled_ms = 0;   // from the first to the last
  int64_t to_end_ms = 0;    // from the last to the end

  bool operator==(const SampleLayout&) const = default;
};

// By which factor to multiply the increase between the first and the last sample, so that it is
// that of the whole range: extrapolates on both sides up to the edge if that is within the sample
// interval, otherwise half an interval.
class Extrapolation {
 public:
  Extrapolation() = default;
  Extrapolation(const SampleLayout& layout, RateQuestion question);

  const SampleLayout& layout() const { return layout_; }
  // The counter was 0 so long before the last sample: nothing is extrapolated to the left.
  void BeginBefore(int64_t last_sample_ms);
  // Does not extrapolate a counter, whose first value is `first`, beyond the time when it would
  // have been 0.
  double FactorFor(double first, double increase) const {
    if (kind_ == SeriesKind::kGauge || !(increase > 0 && first >= 0)) return factor_;
    // Most counters were 0 long before. Above the margin no rounding makes a difference.
    constexpr double kMargin = 1.000001;
    if (first * sampled_ > to_start_ * increase * kMargin) return factor_;
    return FactorFrom(std::min(to_start_, sampled_ * (first / increase)));
  }

 private:
  double FactorFrom(double to_start) const;

  SampleLayout layout_;
  SeriesKind kind_ = SeriesKind::kGauge;
  double sampled_ = 0;   // all in seconds
  double to_start_ = 0;  // how far to extrapolate
  double to_end_ = 0;
  double divisor_ = 1;
  double factor_ = 1;
};

// For anchored and smoothed edges. Both need at least one sample of their kind and none of the
// other.
WindowResult ExtendedFloatRate(const Window& window, RateQuestion question);
WindowResult ExtendedHistogramRate(const Window& window, RateQuestion question,
                                   AnnotationSink& sink);

// The difference of the histograms, corrected for resets, before extrapolation: a compacted gauge.
// Empty if their buckets are incompatible. Precondition: there are at least two histograms.
std::optional<Histogram> HistogramIncrease(const Window& window, SeriesKind kind,
                                           AnnotationSink& sink);

// a += b and a -= b with their annotations; return false if the bucket families differ.
bool AddNoting(Histogram& a, const Histogram& b, AnnotationSink& sink);
bool SubtractNoting(Histogram& a, const Histogram& b, AnnotationSink& sink);

// One sample of a window, of either kind. Borrows from the window.
struct WindowSample {
  SampleTimes times;
  double value = 0;
  const Histogram* histogram = nullptr;  // null for a float
};

inline WindowSample FloatAt(const Window& window, size_t i) {
  return {
      {StartOf(window.start_timestamps_ms, i), window.timestamps_ms[i]}, window.values[i], nullptr};
}

inline WindowSample HistogramAt(const Window& window, size_t i) {
  const HistogramSample& sample = window.histograms[i];
  return {{sample.start_timestamp_ms, sample.timestamp_ms}, 0, sample.histogram.get()};
}

}  // namespace lockstep::engine
