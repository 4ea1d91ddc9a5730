// rate, increase and delta with anchored or smoothed edges: use values at both edges of the range
// instead of extrapolating. Anchored takes the newest sample at or before the start and the last
// one before the end; smoothed interpolates linearly between the samples around an edge.
#include <algorithm>

#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/windows/counter_rate.h"

namespace lockstep::engine {
namespace {

// The indices of the samples that represent the edges of the range.
struct Edges {
  size_t first = 0;
  size_t last = 0;
};

// Empty if no sample says anything about the range. `time_at(i)` is the time of sample i.
template <typename TimeAt>
std::optional<Edges> FindEdges(const Window& window, size_t count, TimeAt time_at) {
  const bool smoothed = window.edges == promql::RangeEdges::kSmoothed;
  const size_t final = count - 1;
  Edges edges{0, final};
  while (edges.first < final && time_at(edges.first) <= window.range_start_ms) ++edges.first;
  if (edges.first > 0) --edges.first;
  if (smoothed) {
    edges.last = 0;
    while (edges.last < final && time_at(edges.last) < window.range_end_ms) ++edges.last;
  }
  if (time_at(edges.last) <= window.range_start_ms) return std::nullopt;
  if (smoothed && time_at(edges.first) > window.range_end_ms) return std::nullopt;
  return edges;
}

class FloatEdges {
 public:
  FloatEdges(const Window& window, Edges edges, SeriesKind kind)
      : window_(window), edges_(edges), kind_(kind) {}

  double Left() const {
    if (!Smoothed() || Time(edges_.first) >= window_.range_start_ms) return Value(edges_.first);
    return Interpolate(Point(edges_.first), Point(edges_.first + 1), window_.range_start_ms, kind_);
  }

  double Right() const {
    if (!Smoothed() || edges_.last == 0 || Time(edges_.last) <= window_.range_end_ms) {
      return Value(edges_.last);
    }
    return Interpolate(Point(edges_.last - 1), Point(edges_.last), window_.range_end_ms, kind_);
  }

  // The amount lost in resets between the edge values, which already account for resets across an
  // edge.
  double LostInResets(double left, double right) const {
    size_t begin = edges_.first;
    size_t end = edges_.last + 1;
    if (Time(begin) <= window_.range_start_ms) ++begin;
    if (Time(end - 1) >= window_.range_end_ms) --end;
    double lost = 0;
    double previous = left;
    for (size_t i = begin; i < end; ++i) {
      if (Value(i) < previous) lost += previous;
      previous = Value(i);
    }
    return right < previous ? lost + previous : lost;
  }

 private:
  bool Smoothed() const { return window_.edges == promql::RangeEdges::kSmoothed; }
  int64_t Time(size_t i) const { return window_.timestamps_ms[i]; }
  double Value(size_t i) const { return window_.values[i]; }
  FloatPoint Point(size_t i) const { return {Time(i), Value(i)}; }

  const Window& window_;
  const Edges edges_;
  const SeriesKind kind_;
};

class HistogramEdges {
 public:
  HistogramEdges(const Window& window, Edges edges, SeriesKind kind, AnnotationSink& sink)
      : window_(window), edges_(edges), kind_(kind), sink_(sink) {}

  bool Valid() const {
    for (size_t i = edges_.first; i <= edges_.last; ++i) {
      if (!SameBucketFamily(At(i), At(edges_.first))) {
        sink_.Add(AnnotationKind::kMixedExponentialCustomHistograms);
        return false;
      }
      if (kind_ == SeriesKind::kCounter && At(i).reset_hint == CounterResetHint::kGauge) {
        sink_.Add(AnnotationKind::kNativeHistogramNotCounter);
      }
    }
    return true;
  }

  std::optional<Histogram> Left() const {
    if (!Smoothed() || Time(edges_.first) >= window_.range_start_ms) return At(edges_.first);
    return Between(edges_.first, window_.range_start_ms);
  }

  std::optional<Histogram> Right() const {
    if (!Smoothed() || edges_.last == 0 || Time(edges_.last) <= window_.range_end_ms) {
      return At(edges_.last);
    }
    return Between(edges_.last - 1, window_.range_end_ms);
  }

  // Adds the amount lost in all resets between the edges to `increase`.
  bool MakeResetsGood(const Histogram& left, const Histogram& right, Histogram& increase) const {
    size_t next = edges_.first + 1;
    const Histogram* previous = &left;
    if (Smoothed() && Time(edges_.first) < window_.range_start_ms &&
        DetectReset(At(next), At(edges_.first))) {
      // The interpolation at the left edge already accounts for this reset.
      previous = &At(next++);
    }
    if (next > edges_.last) return true;
    std::optional<Histogram> lost;
    // `right` covers the last sample: it is that sample or inherits its hint.
    for (; next < edges_.last; ++next) {
      if (!AddIfReset(At(next), *previous, lost)) return false;
      previous = &At(next);
    }
    if (!AddIfReset(right, *previous, lost)) return false;
    return !lost.has_value() || AddNoting(increase, *lost, sink_);
  }

 private:
  bool Smoothed() const { return window_.edges == promql::RangeEdges::kSmoothed; }
  int64_t Time(size_t i) const { return window_.histograms[i].timestamp_ms; }
  const Histogram& At(size_t i) const { return *window_.histograms[i].histogram; }

  bool AddIfReset(const Histogram& current, const Histogram& previous,
                  std::optional<Histogram>& lost) const {
    if (!DetectReset(current, previous)) return true;
    if (lost.has_value()) return AddNoting(*lost, previous, sink_);
    lost = previous;
    return true;
  }

  // The histogram interpolated between sample i and the next one.
  std::optional<Histogram> Between(size_t i, int64_t timestamp_ms) const {
    return Interpolate(window_.histograms[i], window_.histograms[i + 1], timestamp_ms, kind_,
                       sink_);
  }

  const Window& window_;
  const Edges edges_;
  const SeriesKind kind_;
  AnnotationSink& sink_;
};

bool IsGauge(const Histogram& histogram) {
  return histogram.reset_hint == CounterResetHint::kGauge;
}

}  // namespace

double Interpolate(FloatPoint left, FloatPoint right, int64_t timestamp_ms, SeriesKind kind) {
  const double start = kind == SeriesKind::kCounter && right.value < left.value ? 0 : left.value;
  return start + (right.value - start) * static_cast<double>(timestamp_ms - left.timestamp_ms) /
                     static_cast<double>(right.timestamp_ms - left.timestamp_ms);
}

std::optional<Histogram> Interpolate(const HistogramSample& left, const HistogramSample& right,
                                     int64_t timestamp_ms, SeriesKind kind, AnnotationSink& sink) {
  if (timestamp_ms == left.timestamp_ms) return *left.histogram;
  Histogram between = *right.histogram;
  if (timestamp_ms == right.timestamp_ms) return between;
  const double fraction = static_cast<double>(timestamp_ms - left.timestamp_ms) /
                          static_cast<double>(right.timestamp_ms - left.timestamp_ms);
  if (kind == SeriesKind::kCounter && DetectReset(between, *left.histogram)) {
    Scale(between, fraction);
    return between;
  }
  if (!SubtractNoting(between, *left.histogram, sink)) return std::nullopt;
  Scale(between, fraction);
  if (!AddNoting(between, *left.histogram, sink)) return std::nullopt;
  return between;
}

WindowResult ExtendedFloatRate(const Window& window, RateQuestion question) {
  const std::optional<Edges> found = FindEdges(
      window, window.values.size(), [&window](size_t i) { return window.timestamps_ms[i]; });
  if (!found) return WindowResult::None();
  const FloatEdges edges(window, *found, question.kind);
  const double left = edges.Left();
  const double right = edges.Right();
  double increase = right - left;
  if (question.kind == SeriesKind::kCounter) increase += edges.LostInResets(left, right);
  if (question.per_second == PerSecond::kYes) increase /= RangeSeconds(window);
  return WindowResult::Float(increase);
}

WindowResult ExtendedHistogramRate(const Window& window, RateQuestion question,
                                   AnnotationSink& sink) {
  const std::optional<Edges> found =
      FindEdges(window, window.histograms.size(),
                [&window](size_t i) { return window.histograms[i].timestamp_ms; });
  if (!found) return WindowResult::None();
  const HistogramEdges edges(window, *found, question.kind, sink);
  if (!edges.Valid()) return WindowResult::None();
  const std::optional<Histogram> left = edges.Left();
  const std::optional<Histogram> right = edges.Right();
  if (!left || !right) return WindowResult::None();
  if (question.kind == SeriesKind::kGauge && !(IsGauge(*left) && IsGauge(*right))) {
    sink.Add(AnnotationKind::kNativeHistogramNotGauge);
  }
  Histogram increase = *right;
  if (!SubtractNoting(increase, *left, sink)) return WindowResult::None();
  if (question.kind == SeriesKind::kCounter && !edges.MakeResetsGood(*left, *right, increase)) {
    return WindowResult::None();
  }
  if (question.per_second == PerSecond::kYes) Divide(increase, RangeSeconds(window));
  increase.reset_hint = CounterResetHint::kGauge;
  Compact(increase);
  return WindowResult::Of(std::move(increase));
}

}  // namespace lockstep::engine
