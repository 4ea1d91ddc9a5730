#include "query/engine/kernels/histograms/histogram_accumulator.h"

#include <utility>

namespace lockstep::engine {
namespace {

void NoteMerge(const MergeNotes& notes, AnnotationSink& sink) {
  if (notes.bounds_reconciled) {
    sink.AddForOperation(AnnotationKind::kMismatchedCustomBuckets,
                         HistogramOperation::kAggregation);
  }
}

}  // namespace

void HistogramAccumulator::NoteHint(CounterResetHint hint) {
  reset_seen_ = reset_seen_ || hint == CounterResetHint::kReset;
  not_reset_seen_ = not_reset_seen_ || hint == CounterResetHint::kNotReset;
}

void HistogramAccumulator::Add(const Histogram& histogram, AnnotationSink& sink) {
  if (incompatible_) return;
  NoteHint(histogram.reset_hint);
  ++count_;
  if (!sum_) {
    sum_.emplace(histogram, Compensation::kKahan);
    return;
  }
  if (sum_->uses_custom_buckets() != histogram.uses_custom_buckets()) {
    sink.Add(AnnotationKind::kMixedExponentialCustomHistograms);
    incompatible_ = true;
    return;
  }
  if (fold_ == HistogramFold::kSum) {
    NoteMerge(sum_->Add(histogram), sink);
  } else {
    AddToMean(histogram, sink);
  }
}

void HistogramAccumulator::AddToMean(const Histogram& histogram, AnnotationSink& sink) {
  const auto count = static_cast<double>(count_);
  if (!incremental_) {
    HistogramSum next = *sum_;
    NoteMerge(next.Add(histogram), sink);
    if (!next.HasOverflow()) {
      sum_ = std::move(next);
      return;
    }
    incremental_ = true;
    sum_->Divide(count - 1);
  }
  sum_->Scale((count - 1) / count);
  Histogram share = histogram;
  Divide(share, count);
  NoteMerge(sum_->Add(share), sink);
}

std::optional<Histogram> HistogramAccumulator::Finish(AnnotationSink& sink) {
  if (!sum_ || incompatible_) return std::nullopt;
  if (reset_seen_ && not_reset_seen_) {
    sink.AddForOperation(AnnotationKind::kConflictingCounterResets,
                         HistogramOperation::kAggregation);
  }
  if (fold_ == HistogramFold::kMean && !incremental_) sum_->Divide(static_cast<double>(count_));
  Histogram total = sum_->Total();
  Compact(total);
  return total;
}

}  // namespace lockstep::engine
