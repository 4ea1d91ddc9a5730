// Folds of values, of one double or of two independent ones in the lanes of a Pair. Each lane has
// the bits that a fold of doubles would have. Only for the kernels.
//
// A fold that is not conclusive must be repeated the plain way.
#pragma once

#include <emmintrin.h>
#include <smmintrin.h>

#include <cmath>

#include "query/engine/kernels/numbers/constants.h"

namespace lockstep::engine {

using Pair = double __attribute__((vector_size(16)));

// How many are folded side by side, so that none waits for the result of its last addition.
inline constexpr size_t kPairs = 4;
inline constexpr size_t kLanes = 2 * kPairs;

inline double LaneOf(double number, size_t /*lane*/) { return number; }
inline double LaneOf(Pair pair, size_t lane) { return pair[lane]; }

// KahanSum without branches: the rounding error of a finite sum is the same number whichever of
// both terms is larger.
template <typename Number>
struct CompensatedSum {
  Number sum{};
  Number compensation{};

  void Add(Number value) {
    const Number total = sum + value;
    const Number added = total - sum;
    compensation += (sum - (total - added)) + (value - added);
    sum = total;
  }
  Number Total() const { return sum + compensation; }
  CompensatedSum<double> Lane(size_t lane) const {
    return {LaneOf(sum, lane), LaneOf(compensation, lane)};
  }
  // Infinities, NaN and sums that leave the range of doubles have rules of their own.
  bool IsConclusive() const { return std::isfinite(sum) && std::isfinite(Total()); }
};

template <typename Number>
struct SumFold {
  CompensatedSum<Number> sum;

  void Add(Number value, double /*count*/) { sum.Add(value); }
  SumFold<double> Lane(size_t lane) const { return {sum.Lane(lane)}; }
  bool IsConclusive() const { return sum.IsConclusive(); }
};

// Welford's algorithm with both sums compensated.
template <typename Number>
struct VarianceFold {
  CompensatedSum<Number> mean;
  CompensatedSum<Number> squares;

  // `count`: of the values so far, with this one.
  void Add(Number value, double count) {
    const Number delta = value - mean.Total();
    mean.Add(delta / count);
    squares.Add(delta * (value - mean.Total()));
  }
  VarianceFold<double> Lane(size_t lane) const { return {mean.Lane(lane), squares.Lane(lane)}; }
  bool IsConclusive() const { return squares.IsConclusive() && mean.IsConclusive(); }
};

enum class Extreme { kMin, kMax };

// The better of the two; `best` if neither is, and if `value` is NaN.
template <Extreme kExtreme>
double Better(double best, double value) {
  if constexpr (kExtreme == Extreme::kMin) return value < best ? value : best;
  return value > best ? value : best;
}
template <Extreme kExtreme>
Pair Better(Pair best, Pair value) {
  if constexpr (kExtreme == Extreme::kMin) return _mm_min_pd(value, best);
  return _mm_max_pd(value, best);
}

// The same for a `value` that is earlier than the best: it is also better if it is equal, because
// a zero may have another sign.
template <Extreme kExtreme>
double BetterOrEqual(double best, double value) {
  if constexpr (kExtreme == Extreme::kMin) return value <= best ? value : best;
  return value >= best ? value : best;
}
template <Extreme kExtreme>
Pair BetterOrEqual(Pair best, Pair value) {
  const Pair is_better =
      kExtreme == Extreme::kMin ? _mm_cmple_pd(value, best) : _mm_cmpge_pd(value, best);
  return _mm_blendv_pd(best, value, is_better);
}

// Worse than every number but itself.
template <Extreme kExtreme>
constexpr double kWorst = kExtreme == Extreme::kMin ? kInfinity : -kInfinity;

// The first of the best values, NaN ignored.
template <typename Number, Extreme kExtreme>
struct ExtremeFold {
  Number best = Number{} + kWorst<kExtreme>;

  void Add(Number value, double /*count*/) { best = Better<kExtreme>(best, value); }
  ExtremeFold<double, kExtreme> Lane(size_t lane) const { return {LaneOf(best, lane)}; }
  // There may be nothing but NaN.
  bool IsConclusive() const { return best != kWorst<kExtreme>; }
};

}  // namespace lockstep::engine
