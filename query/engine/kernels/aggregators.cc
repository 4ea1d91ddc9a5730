#include "query/engine/kernels/aggregators.h"

#include <cmath>
#include <limits>

#include "query/engine/kernels/numbers/quantile.h"
#include "query/promql/syntax/operator_names.h"

namespace lockstep::engine {

using promql::AggregateOp;

void GroupAccumulator::AddToVariance(double value) {
  double& mean = sum_.sum;
  if (count_ == 1) {
    mean = value;
    squares_ = std::isfinite(value) ? 0 : std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const double delta = value - mean;
  mean += delta / static_cast<double>(count_);
  squares_ += delta * (value - mean);
}

void GroupAccumulator::Add(AggregateOp op, const Histogram& histogram, AnnotationSink& sink) {
  if (op == AggregateOp::kCount || op == AggregateOp::kGroup) {
    ++count_;
    return;
  }
  if (op == AggregateOp::kSum || op == AggregateOp::kAvg) {
    if (!histograms_) {
      floats_came_first_ = floats_came_first_ || count_ > 0;
      if (floats_came_first_) return;
      histograms_ = std::make_unique<HistogramAccumulator>(
          op == AggregateOp::kSum ? HistogramFold::kSum : HistogramFold::kMean);
    }
    histograms_->Add(histogram, sink);
    return;
  }
  Annotation annotation;
  annotation.kind = AnnotationKind::kHistogramIgnoredInAggregation;
  annotation.text = promql::AggregatorName(op);
  sink.Add(std::move(annotation));
}

WindowResult GroupAccumulator::Finish(AggregateOp op, double param, AnnotationSink& sink) {
  if (histograms_ || floats_came_first_) return FinishHistograms(sink);
  if (count_ == 0) return WindowResult::None();
  const auto count = static_cast<double>(count_);
  switch (op) {
    case AggregateOp::kSum:
      return WindowResult::Float(sum_.Total());
    case AggregateOp::kAvg:
      return WindowResult::Float(mean_.Get());
    case AggregateOp::kMin:
    case AggregateOp::kMax:
      return WindowResult::Float(sum_.sum);
    case AggregateOp::kStddev:
      return WindowResult::Float(std::sqrt(squares_ / count));
    case AggregateOp::kStdvar:
      return WindowResult::Float(squares_ / count);
    case AggregateOp::kCount:
      return WindowResult::Float(count);
    case AggregateOp::kGroup:
      return WindowResult::Float(1);
    case AggregateOp::kQuantile:
      return WindowResult::Float(Quantile(param, *values_));
    default:
      return WindowResult::None();
  }
}

WindowResult GroupAccumulator::FinishHistograms(AnnotationSink& sink) {
  if (count_ > 0) {
    sink.Add(AnnotationKind::kMixedFloatsHistogramsInAggregation);
    return WindowResult::None();
  }
  std::optional<Histogram> folded = histograms_->Finish(sink);
  return folded ? WindowResult::Of(*std::move(folded)) : WindowResult::None();
}

}  // namespace lockstep::engine
