// Shared words of the rate family. Inside the kernels only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "query/engine/kernels/window_functions.h"

namespace lockstep::engine {

enum class PerSecond { kNo, kYes };

// What rate, increase and delta ask for: a counter's increase or a gauge's difference, over the
// range or per second of it.
struct RateQuestion {
  SeriesKind kind = SeriesKind::kCounter;
  PerSecond per_second = PerSecond::kNo;
};

// The start timestamp of sample `i`, 0 when nobody keeps them.
inline int64_t StartOf(std::span<const int64_t> start_timestamps_ms, size_t i) {
  return i < start_timestamps_ms.size() ? start_timestamps_ms[i] : 0;
}

struct SampleTimes {
  int64_t start_ms = 0;  // 0: unknown
  int64_t timestamp_ms = 0;
};

// Whether start timestamps tell that the counter restarted between two neighbouring samples.
bool RestartedByStartTime(SampleTimes previous, SampleTimes current);
// Whether a sample claims to have started before the previous one was taken, as another run.
bool OverlapsByStartTime(SampleTimes previous, SampleTimes current);

inline double RangeSeconds(const Window& window) {
  return static_cast<double>(window.range_end_ms - window.range_start_ms) / 1000;
}

// What is left to do with plain edges once the increase (or difference) between the first and the last
// float of the window is known: extrapolation to the edges of the range.
WindowResult ExtrapolateFloats(const Window& window, double increase, RateQuestion question);

// Anchored and smoothed edges; both need at least one sample of their kind and none of the other.
WindowResult ExtendedFloatRate(const Window& window, RateQuestion question);
WindowResult ExtendedHistogramRate(const Window& window, RateQuestion question,
                                   AnnotationSink& sink);

// The difference of the histograms with resets made good, before extrapolation: a compacted gauge.
// Nothing if their buckets do not go together. Precondition: at least two histograms.
std::optional<Histogram> HistogramIncrease(const Window& window, SeriesKind kind,
                                           AnnotationSink& sink);

// a += b / a -= b with the annotations that belong to it; false if the bucket families differ.
bool AddNoting(Histogram& a, const Histogram& b, AnnotationSink& sink);
bool SubtractNoting(Histogram& a, const Histogram& b, AnnotationSink& sink);

}  // namespace lockstep::engine
