// GroupAccumulator: one group of an aggregation at one step.
//
// For sum avg min max stddev stdvar count group quantile; the operators that choose or relabel
// elements (topk bottomk limitk limit_ratio count_values) are the evaluator's. Elements are added
// in any order; the order only shows in the last bits. Not thread-safe. A fresh one costs no
// allocation, but some 70 bytes: fold group by group over all steps, not all groups at once.
// Source: prometheus/prometheus, promql/engine.go (aggregation).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "query/engine/kernels/annotation.h"
#include "query/engine/kernels/histogram_math.h"
#include "query/engine/kernels/kahan.h"
#include "query/engine/kernels/window.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// "sum", "count_values", ...: as in annotations.
std::string_view AggregateName(promql::AggregateOp op);

class GroupAccumulator {
 public:
  GroupAccumulator();
  ~GroupAccumulator();
  GroupAccumulator(GroupAccumulator&&) noexcept;
  GroupAccumulator& operator=(GroupAccumulator&&) noexcept;

  // `op` must be the same in all calls on one accumulator.
  void Add(promql::AggregateOp op, double value);
  // Ignored with an info by min max stddev stdvar quantile.
  void Add(promql::AggregateOp op, const Histogram& histogram, AnnotationSink& sink);

  // kNone if nothing (that counts) was added, or if floats and histograms met in a sum or average
  // (then with a warning). `param` is quantile's q; the warning about it is the caller's
  // (IsInvalidQuantile).
  WindowResult Finish(promql::AggregateOp op, double param, AnnotationSink& sink);

 private:
  struct HistogramState;

  void AddToSum(double value);
  void AddToAverage(double value);
  void AddToVariance(double value);

  KahanSum sum_;        // the sum, the mean, or Welford's mean
  KahanSum squares_;    // Welford's sum of squared differences
  double extreme_ = 0;  // min, max
  uint64_t float_count_ = 0;
  bool incremental_mean_ = false;
  std::unique_ptr<HistogramState> histograms_;
  std::unique_ptr<std::vector<double>> values_;  // quantile
};

}  // namespace lockstep::engine
