// rate, increase and delta with plain edges.
#include "query/engine/kernels/counter_rate.h"

#include <algorithm>

#include "query/engine/kernels/histogram_math.h"
#include "query/engine/kernels/window_families.h"

namespace lockstep::engine {
namespace {

constexpr double kThresholdFactor = 1.1;

// The increase between the first and the last sample, and what is needed to extrapolate it.
struct Observed {
  size_t sample_count = 0;
  int64_t first_ms = 0;
  int64_t last_ms = 0;
  double first = 0;     // first value, or the first histogram's count
  double increase = 0;  // in the same measure
  std::optional<Histogram> histogram;
  int64_t start_ms = 0;  // of the first sample
};

double FloatIncrease(const Window& window, SeriesKind kind, AnnotationSink& sink) {
  double increase = window.values.back() - window.values.front();
  if (kind == SeriesKind::kGauge) return increase;
  const auto starts = window.start_timestamps_ms;
  for (size_t i = 1; i < window.values.size(); ++i) {
    bool restarted = window.values[i] < window.values[i - 1];
    if (!starts.empty()) {
      const SampleTimes previous{StartOf(starts, i - 1), window.timestamps_ms[i - 1]};
      const SampleTimes current{StartOf(starts, i), window.timestamps_ms[i]};
      if (OverlapsByStartTime(previous, current)) sink.Add(AnnotationKind::kOverlappingStartTime);
      restarted = restarted || RestartedByStartTime(previous, current);
    }
    if (restarted) increase += window.values[i - 1];
  }
  return increase;
}

// Seconds to extrapolate to the left of the first sample: up to the edge if that is no further than
// samples are apart, else half of that; but not beyond where a counter would have been 0.
double LeftExtension(const Observed& observed, double to_start, double sampled, double average,
                     SeriesKind kind) {
  double extension = to_start >= average * kThresholdFactor ? average / 2 : to_start;
  if (kind == SeriesKind::kCounter && observed.increase > 0 && observed.first >= 0) {
    extension = std::min(extension, sampled * (observed.first / observed.increase));
  }
  return extension;
}

WindowResult Extrapolate(const Window& window, Observed observed, RateQuestion question,
                         AnnotationSink& sink) {
  const auto seconds = [](int64_t ms) { return static_cast<double>(ms) / 1000; };
  double sampled = seconds(observed.last_ms - observed.first_ms);
  const double average =
      observed.sample_count > 1 ? sampled / static_cast<double>(observed.sample_count - 1) : 0;
  double to_start = seconds(observed.first_ms - window.range_start_ms);
  double to_end = seconds(window.range_end_ms - observed.last_ms);

  const bool starts_inside = question.kind == SeriesKind::kCounter && observed.start_ms != 0 &&
                             observed.start_ms > window.range_start_ms &&
                             observed.start_ms < observed.first_ms;
  if (starts_inside) {
    // The counter was 0 at its start: that is a sample better than any extrapolation to the left.
    to_start = 0;
    sampled = seconds(observed.last_ms - observed.start_ms);
    if (!observed.histogram) {
      observed.increase += observed.first;
    } else if (observed.sample_count > 1 &&
               !AddNoting(*observed.histogram, *window.histograms.front().histogram, sink)) {
      return WindowResult::None();
    }
  } else if (observed.sample_count < 2) {
    return WindowResult::None();
  } else {
    to_start = LeftExtension(observed, to_start, sampled, average, question.kind);
  }
  if (to_end >= average * kThresholdFactor) to_end = average / 2;

  double factor = sampled != 0 ? (sampled + to_start + to_end) / sampled : 1;
  if (question.per_second == PerSecond::kYes) factor /= RangeSeconds(window);
  if (!observed.histogram) return WindowResult::Float(observed.increase * factor);
  Scale(*observed.histogram, factor);
  return WindowResult::Of(*std::move(observed.histogram));
}

WindowResult PlainFloatRate(const Window& window, RateQuestion question, AnnotationSink& sink) {
  Observed observed;
  observed.sample_count = window.values.size();
  observed.first_ms = window.timestamps_ms.front();
  observed.last_ms = window.timestamps_ms.back();
  observed.first = window.values.front();
  observed.increase = FloatIncrease(window, question.kind, sink);
  observed.start_ms = StartOf(window.start_timestamps_ms, 0);
  return Extrapolate(window, std::move(observed), question, sink);
}

WindowResult PlainHistogramRate(const Window& window, RateQuestion question, AnnotationSink& sink) {
  const Histogram& first = *window.histograms.front().histogram;
  Observed observed;
  observed.sample_count = window.histograms.size();
  observed.first_ms = window.histograms.front().timestamp_ms;
  observed.last_ms = window.histograms.back().timestamp_ms;
  observed.start_ms = window.histograms.front().start_timestamp_ms;
  if (observed.sample_count > 1) {
    observed.histogram = HistogramIncrease(window, question.kind, sink);
    if (!observed.histogram) return WindowResult::None();
    observed.first = first.count;
    observed.increase = observed.histogram->count;
  } else {
    observed.histogram = first;
  }
  return Extrapolate(window, std::move(observed), question, sink);
}

WindowResult AnyRate(const Window& window, const WindowContext& context, RateQuestion question) {
  if (!window.values.empty() && !window.histograms.empty()) {
    context.sink->Add(AnnotationKind::kMixedFloatsHistograms);
    return WindowResult::None();
  }
  const bool plain = window.edges == promql::RangeEdges::kPlain;
  if (!window.histograms.empty()) {
    return plain ? PlainHistogramRate(window, question, *context.sink)
                 : ExtendedHistogramRate(window, question, *context.sink);
  }
  return plain ? PlainFloatRate(window, question, *context.sink)
               : ExtendedFloatRate(window, question);
}

}  // namespace

bool RestartedByStartTime(SampleTimes previous, SampleTimes current) {
  // A start at or behind the sample itself is unknown or nonsense.
  if (current.start_ms == 0 || current.start_ms >= current.timestamp_ms) return false;
  if (current.start_ms != previous.timestamp_ms) return current.start_ms > previous.timestamp_ms;
  // A start right at the previous sample: a delta, each sample of which starts anew, if that sample
  // had a start of its own; otherwise a cumulative series that does not know its start.
  return previous.start_ms != 0 && previous.start_ms < previous.timestamp_ms;
}

bool OverlapsByStartTime(SampleTimes previous, SampleTimes current) {
  return current.start_ms != 0 && current.start_ms < previous.timestamp_ms &&
         current.start_ms != previous.start_ms;
}

WindowResult Rate(const Window& window, const WindowContext& context) {
  return AnyRate(window, context, {SeriesKind::kCounter, PerSecond::kYes});
}

WindowResult Increase(const Window& window, const WindowContext& context) {
  return AnyRate(window, context, {SeriesKind::kCounter, PerSecond::kNo});
}

WindowResult Delta(const Window& window, const WindowContext& context) {
  return AnyRate(window, context, {SeriesKind::kGauge, PerSecond::kNo});
}

}  // namespace lockstep::engine
