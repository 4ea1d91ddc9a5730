// What the row functions that fold values compute: which fold, what comes out of it, and the plain
// way where it is not conclusive. Only for the kernels.
#pragma once

#include <cmath>
#include <span>

#include "query/engine/kernels/numbers/folds.h"
#include "query/engine/kernels/windows/plain_folds.h"

namespace lockstep::engine {

struct SumQuestion {
  template <typename Number>
  using Fold = SumFold<Number>;
  static double Finish(const SumFold<double>& fold, double /*count*/) { return fold.sum.Total(); }
  static double Plain(std::span<const double> values) { return PlainSum(values); }
};

struct MeanQuestion {
  template <typename Number>
  using Fold = SumFold<Number>;
  static double Finish(const SumFold<double>& fold, double count) {
    return fold.sum.sum / count + fold.sum.compensation / count;
  }
  static double Plain(std::span<const double> values) { return PlainMean(values); }
};

template <Extreme kExtreme>
struct ExtremeQuestion {
  template <typename Number>
  using Fold = ExtremeFold<Number, kExtreme>;
  static double Finish(const Fold<double>& fold, double /*count*/) { return fold.best; }
  static double Plain(std::span<const double> values) {
    return values[Winner(values, [](double value, double best) {
      return kExtreme == Extreme::kMin ? value < best : value > best;
    })];
  }
};

struct VarianceQuestion {
  template <typename Number>
  using Fold = VarianceFold<Number>;
  static double Finish(const VarianceFold<double>& fold, double count) {
    return fold.squares.Total() / count;
  }
  static double Plain(std::span<const double> values) { return PlainVariance(values); }
};

struct DeviationQuestion : VarianceQuestion {
  static double Finish(const VarianceFold<double>& fold, double count) {
    return std::sqrt(VarianceQuestion::Finish(fold, count));
  }
  static double Plain(std::span<const double> values) { return std::sqrt(PlainVariance(values)); }
};

}  // namespace lockstep::engine
