// GroupAccumulator: one group of an aggregation at one step.
//
// For sum avg min max stddev stdvar count group quantile; the operators that choose or relabel
// elements (topk bottomk limitk limit_ratio count_values) are the evaluator's. Elements are added
// in any order; the order only shows in the last bits. Not thread-safe. A fresh one costs no
// allocation, but some 70 bytes: fold group by group over all steps, not all groups at once.
// Source: prometheus/prometheus, promql/engine.go (aggregation).
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "query/engine/kernels/annotation.h"
#include "query/engine/kernels/histogram_accumulator.h"
#include "query/engine/kernels/kahan.h"
#include "query/engine/kernels/running_mean.h"
#include "query/engine/kernels/window.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

class GroupAccumulator {
 public:
  // `op` must be the same in all calls on one accumulator.
  void Add(promql::AggregateOp op, double value);
  // Ignored with an info by min max stddev stdvar quantile. When sum or avg meets exponential
  // beside custom buckets, the metric name for the warning is that of the histogram just added; behind a
  // float histograms are not looked at, since nothing can come of them.
  void Add(promql::AggregateOp op, const Histogram& histogram, AnnotationSink& sink);

  // kNone if nothing that counts was added, or if floats and histograms met in a sum or average
  // (then with a warning). `param` is quantile's q; the warning about it is the caller's
  // (IsInvalidQuantile).
  WindowResult Finish(promql::AggregateOp op, double param, AnnotationSink& sink);

 private:
  void AddToExtreme(promql::AggregateOp op, double value);
  void AddToVariance(double value);
  WindowResult FinishHistograms(AnnotationSink& sink);

  uint64_t count_ = 0;  // of floats; for count and group of histograms too
  RunningMean mean_;    // avg
  KahanSum sum_;        // sum; min and max: the extreme in .sum; Welford: the mean in .sum
  double squares_ = 0;  // Welford's sum of squared differences
  bool floats_came_first_ = false;  // in a sum or average that histograms are in, too
  std::unique_ptr<HistogramAccumulator> histograms_;
  std::unique_ptr<std::vector<double>> values_;  // quantile
};

// Here, so that a loop with one `op` has no branches on it.
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
