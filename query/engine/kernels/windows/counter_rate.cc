// rate, increase and delta with plain edges.
#include "query/engine/kernels/windows/counter_rate.h"

#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/windows/window_families.h"

namespace lockstep::engine {
namespace {

constexpr double kThresholdFactor = 1.1;

// The increase between the first and the last sample, and the data to extrapolate it.
struct Observed {
  size_t sample_count = 0;
  int64_t first_ms = 0;
  int64_t last_ms = 0;
  double first = 0;      // first value, or the first histogram's count
  double increase = 0;   // in the same unit
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

double Seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

// Whether the counter began inside the range. It was 0 then, which is better than extrapolating to
// the left.
bool StartsInside(const Window& window, const Observed& observed, RateQuestion question) {
  return question.kind == SeriesKind::kCounter && observed.start_ms != 0 &&
         observed.start_ms > window.range_start_ms && observed.start_ms < observed.first_ms;
}

// The factor for the observed increase; empty if there is not enough data.
std::optional<double> ExtrapolationFactor(const Window& window, const Observed& observed,
                                          RateQuestion question) {
  Extrapolation extrapolation(
      {observed.sample_count, observed.first_ms - window.range_start_ms,
       observed.last_ms - observed.first_ms, window.range_end_ms - observed.last_ms},
      question);
  if (StartsInside(window, observed, question)) {
    extrapolation.BeginBefore(observed.last_ms - observed.start_ms);
  } else if (observed.sample_count < 2) {
    return std::nullopt;
  }
  return extrapolation.FactorFor(observed.first, observed.increase);
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

WindowResult PlainFloatRate(const Window& window, RateQuestion question, AnnotationSink& sink) {
  Observed observed;
  observed.sample_count = window.float_count();
  observed.first_ms = window.timestamps_ms.front();
  observed.last_ms = window.timestamps_ms.back();
  observed.first = window.values.front();
  observed.increase = FloatIncrease(window, question.kind, sink);
  observed.start_ms = StartOf(window.start_timestamps_ms, 0);
  const std::optional<double> factor = ExtrapolationFactor(window, observed, question);
  if (!factor) return WindowResult::None();
  if (StartsInside(window, observed, question)) observed.increase += observed.first;
  return WindowResult::Float(observed.increase * *factor);
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
  return PlainFloatRate(window, question, *context.sink);
}

}  // namespace

Extrapolation::Extrapolation(const SampleLayout& layout, RateQuestion question)
    : layout_(layout),
      kind_(question.kind),
      sampled_(Seconds(layout.sampled_ms)),
      to_start_(Seconds(layout.to_start_ms)),
      to_end_(Seconds(layout.to_end_ms)) {
  const double average =
      layout.sample_count > 1 ? sampled_ / static_cast<double>(layout.sample_count - 1) : 0;
  if (to_start_ >= average * kThresholdFactor) to_start_ = average / 2;
  if (to_end_ >= average * kThresholdFactor) to_end_ = average / 2;
  if (question.per_second == PerSecond::kYes) {
    divisor_ = Seconds(layout.to_start_ms + layout.sampled_ms + layout.to_end_ms);
  }
  factor_ = FactorFrom(to_start_);
}

void Extrapolation::BeginBefore(int64_t last_sample_ms) {
  sampled_ = Seconds(last_sample_ms);
  to_start_ = 0;
  factor_ = FactorFrom(to_start_);
}

double Extrapolation::FactorFrom(double to_start) const {
  const double factor = sampled_ != 0 ? (sampled_ + to_start + to_end_) / sampled_ : 1;
  return factor / divisor_;
}

bool RestartedByStartTime(SampleTimes previous, SampleTimes current) {
  // A start at or after the sample itself is unknown or invalid.
  if (current.start_ms == 0 || current.start_ms >= current.timestamp_ms) return false;
  if (current.start_ms != previous.timestamp_ms) return current.start_ms > previous.timestamp_ms;
  // If the start equals the previous sample's time, the series is a delta, in which each sample
  // starts anew, if the previous sample had its own start; otherwise it is cumulative with an
  // unknown start.
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
