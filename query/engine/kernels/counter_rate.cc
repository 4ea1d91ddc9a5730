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
  double first = 0;      // first value, or the first histogram's count
  double increase = 0;   // in the same measure
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

double Seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

// Whether the counter began inside the range: then it was 0 there, which is better than any
// extrapolation to the left.
bool StartsInside(const Window& window, const Observed& observed, RateQuestion question) {
  return question.kind == SeriesKind::kCounter && observed.start_ms != 0 &&
         observed.start_ms > window.range_start_ms && observed.start_ms < observed.first_ms;
}

// What the observed increase is to be multiplied by; nothing if there is too little to go on.
std::optional<double> ExtrapolationFactor(const Window& window, const Observed& observed,
                                          RateQuestion question) {
  double sampled = Seconds(observed.last_ms - observed.first_ms);
  const double average =
      observed.sample_count > 1 ? sampled / static_cast<double>(observed.sample_count - 1) : 0;
  double to_start = Seconds(observed.first_ms - window.range_start_ms);
  double to_end = Seconds(window.range_end_ms - observed.last_ms);
  if (StartsInside(window, observed, question)) {
    to_start = 0;
    sampled = Seconds(observed.last_ms - observed.start_ms);
  } else if (observed.sample_count < 2) {
    return std::nullopt;
  } else {
    to_start = LeftExtension(observed, to_start, sampled, average, question.kind);
  }
  if (to_end >= average * kThresholdFactor) to_end = average / 2;
  const double factor = sampled != 0 ? (sampled + to_start + to_end) / sampled : 1;
  return question.per_second == PerSecond::kYes ? factor / RangeSeconds(window) : factor;
}

WindowResult PlainHistogramRate(const Window& window, RateQuestion question, AnnotationSink& sink) {
  const Histogram& first = *window.histograms.front().histogram;
  Observed observed;
  observed.sample_count = window.histograms.size();
  observed.first_ms = window.histograms.front().timestamp_ms;
  observed.last_ms = window.histograms.back().timestamp_ms;
  observed.start_ms = window.histograms.front().start_timestamp_ms;
  std::optional<Histogram> increase;
  if (observed.sample_count > 1) {
    increase = HistogramIncrease(window, question.kind, sink);
    if (!increase) return WindowResult::None();
    observed.first = first.count;
    observed.increase = increase->count;
  }
  const std::optional<double> factor = ExtrapolationFactor(window, observed, question);
  if (!factor) return WindowResult::None();
  if (!increase) {
    increase = first;
  } else if (StartsInside(window, observed, question) && !AddNoting(*increase, first, sink)) {
    return WindowResult::None();
  }
  Scale(*increase, *factor);
  return WindowResult::Of(*std::move(increase));
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
  if (!plain) return ExtendedFloatRate(window, question);
  return ExtrapolateFloats(window, FloatIncrease(window, question.kind, *context.sink), question);
}

}  // namespace

WindowResult ExtrapolateFloats(const Window& window, double increase, RateQuestion question) {
  Observed observed;
  observed.sample_count = window.float_count();
  observed.first_ms = window.timestamps_ms.front();
  observed.last_ms = window.timestamps_ms.back();
  observed.first = window.values.front();
  observed.increase = increase;
  observed.start_ms = StartOf(window.start_timestamps_ms, 0);
  const std::optional<double> factor = ExtrapolationFactor(window, observed, question);
  if (!factor) return WindowResult::None();
  if (StartsInside(window, observed, question)) increase += observed.first;
  return WindowResult::Float(increase * *factor);
}

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
