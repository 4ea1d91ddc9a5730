// rate, increase and delta of native histograms with plain edges: the difference before
// extrapolation.
#include <algorithm>

#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/windows/counter_rate.h"

namespace lockstep::engine {
namespace {

class IncreaseWalk {
 public:
  IncreaseWalk(const Window& window, SeriesKind kind, AnnotationSink& sink)
      : window_(window), kind_(kind), sink_(sink), first_(At(0)) {}

  std::optional<Histogram> Run() && {
    const Histogram& last = At(Count() - 1);
    if (kind_ == SeriesKind::kCounter) NoteGauges();
    if (kind_ == SeriesKind::kCounter && Restarted(1, first_)) ForgetFirst();
    if (!SameBucketFamily(last, first_) || !InnerFamiliesMatch()) {
      sink_.Add(AnnotationKind::kMixedExponentialCustomHistograms);
      return std::nullopt;
    }
    increase_ = ReduceSchema(last, LowestSchema());
    if (!SubtractNoting(increase_, first_, sink_)) return std::nullopt;
    if (kind_ == SeriesKind::kCounter) {
      if (!MakeResetsGood()) return std::nullopt;
    } else if (!IsGauge(At(0)) || !IsGauge(last)) {
      sink_.Add(AnnotationKind::kNativeHistogramNotGauge);
    }
    increase_.reset_hint = CounterResetHint::kGauge;
    Compact(increase_);
    return std::move(increase_);
  }

 private:
  static bool IsGauge(const Histogram& histogram) {
    return histogram.reset_hint == CounterResetHint::kGauge;
  }
  size_t Count() const { return window_.histograms.size(); }
  const Histogram& At(size_t i) const { return *window_.histograms[i].histogram; }
  SampleTimes TimesAt(size_t i) const {
    return {window_.histograms[i].start_timestamp_ms, window_.histograms[i].timestamp_ms};
  }

  bool Restarted(size_t i, const Histogram& previous) const {
    return RestartedByStartTime(TimesAt(i - 1), TimesAt(i)) || DetectReset(At(i), previous);
  }

  void NoteGauges() {
    for (size_t i = 0; i < Count(); ++i) {
      if (IsGauge(At(i))) sink_.Add(AnnotationKind::kNativeHistogramNotCounter);
    }
  }

  // After a reset right after the first sample, it does not count at all, not even its buckets.
  void ForgetFirst() {
    const Histogram& second = At(1);
    first_ = Histogram{};
    first_.schema = second.schema;
    first_.custom_values = second.custom_values;
  }

  // For a gauge, only the first and the last histogram matter.
  bool InnerFamiliesMatch() const {
    if (kind_ == SeriesKind::kGauge) return true;
    for (size_t i = 1; i + 1 < Count(); ++i) {
      if (!SameBucketFamily(At(i), first_)) return false;
    }
    return true;
  }

  int32_t LowestSchema() const {
    int32_t schema = std::min(At(Count() - 1).schema, first_.schema);
    if (kind_ == SeriesKind::kGauge) return schema;
    for (size_t i = 1; i + 1 < Count(); ++i) schema = std::min(schema, At(i).schema);
    return schema;
  }

  bool MakeResetsGood() {
    const Histogram* previous = &first_;
    for (size_t i = 1; i < Count(); ++i) {
      if (OverlapsByStartTime(TimesAt(i - 1), TimesAt(i))) {
        sink_.Add(AnnotationKind::kOverlappingStartTime);
      }
      if (Restarted(i, *previous) && !AddNoting(increase_, *previous, sink_)) return false;
      previous = &At(i);
    }
    return true;
  }

  const Window& window_;
  const SeriesKind kind_;
  AnnotationSink& sink_;
  Histogram first_;
  Histogram increase_;
};

}  // namespace

std::optional<Histogram> HistogramIncrease(const Window& window, SeriesKind kind,
                                           AnnotationSink& sink) {
  return IncreaseWalk(window, kind, sink).Run();
}

bool AddNoting(Histogram& a, const Histogram& b, AnnotationSink& sink) {
  if (!SameBucketFamily(a, b)) {
    sink.Add(AnnotationKind::kMixedExponentialCustomHistograms);
    return false;
  }
  if (Add(a, b).bounds_reconciled) {
    sink.AddForOperation(AnnotationKind::kMismatchedCustomBuckets, HistogramOperation::kAddition);
  }
  return true;
}

bool SubtractNoting(Histogram& a, const Histogram& b, AnnotationSink& sink) {
  if (!SameBucketFamily(a, b)) {
    sink.Add(AnnotationKind::kMixedExponentialCustomHistograms);
    return false;
  }
  if (Subtract(a, b).bounds_reconciled) {
    sink.AddForOperation(AnnotationKind::kMismatchedCustomBuckets,
                         HistogramOperation::kSubtraction);
  }
  return true;
}

}  // namespace lockstep::engine
