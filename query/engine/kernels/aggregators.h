// GroupAccumulator: one group of an aggregation at one step.
//
// For sum, avg, min, max, stddev, stdvar, count, group and quantile. The evaluator implements
// operators that select or relabel elements (topk, bottomk, limitk, limit_ratio, count_values).
// Elements may be added in any order, which affects only the last bits. Not thread-safe. A new
// accumulator allocates nothing but takes some 70 bytes, so fold group by group over all steps, not
// all groups at once. Source: prometheus/prometheus, promql/engine.go (aggregation).
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "query/engine/kernels/histograms/histogram_accumulator.h"
#include "query/engine/kernels/numbers/kahan.h"
#include "query/engine/kernels/text/annotation.h"
#include "query/engine/kernels/windows/window.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

class GroupAccumulator {
 public:
  // `op` must be the same in all calls on one accumulator.
  void Add(promql::AggregateOp op, double value);
  // Ignored with an info by min, max, stddev, stdvar and quantile. If sum or avg meets exponential
  // and custom buckets, the warning refers to the metric name of the histogram just added. After a
  // float, histograms are not looked at, because there can be no result.
  void Add(promql::AggregateOp op, const Histogram& histogram, AnnotationSink& sink);

  // kNone if nothing relevant was added, or, with a warning, if floats and histograms were mixed in
  // a sum or average. `param` is quantile's q; the caller warns about invalid values
  // (IsInvalidQuantile).
  WindowResult Finish(promql::AggregateOp op, double param, AnnotationSink& sink);

 private:
  void AddToExtreme(promql::AggregateOp op, double value);
  void AddToVariance(double value);
  WindowResult FinishHistograms(AnnotationSink& sink);

  uint64_t count_ = 0;  // of floats; for count and group also of histograms
  RunningMean mean_;    // avg
  KahanSum sum_;        // sum; min and max: the extreme in .sum; Welford: the mean in .sum
  double squares_ = 0;  // Welford's sum of squared differences
  bool floats_came_first_ = false;  // in a sum or average that also has histograms
  std::unique_ptr<HistogramAccumulator> histograms_;
  std::unique_ptr<std::vector<double>> values_;  // quantile
};

// Inline, so that a loop with a constant `op` does not branch on it.
inline void GroupAccumulator::Add(promql::AggregateOp op, double value) {
  using promql::AggregateOp;
  ++count_;
  switch (op) {
    case AggregateOp::kSum:
      if (count_ == 1) {
        sum_.sum = value;
      } else {
        sum_.Add(value);
      }
      return;
    case AggregateOp::kAvg:
      return mean_.Add(value);
    case AggregateOp::kMin:
    case AggregateOp::kMax:
      return AddToExtreme(op, value);
    case AggregateOp::kStddev:
    case AggregateOp::kStdvar:
      return AddToVariance(value);
    case AggregateOp::kQuantile:
      if (!values_) values_ = std::make_unique<std::vector<double>>();
      values_->push_back(value);
      return;
    default:
      return;
  }
}

inline void GroupAccumulator::AddToExtreme(promql::AggregateOp op, double value) {
  double& extreme = sum_.sum;
  const bool beats = op == promql::AggregateOp::kMax ? extreme < value : extreme > value;
  if (count_ == 1 || beats || std::isnan(extreme)) extreme = value;
}

}  // namespace lockstep::engine
