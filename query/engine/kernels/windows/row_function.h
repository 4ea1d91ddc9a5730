// RowFunction: a window function for all windows of a series at once, without looking at every
// sample of every window again.
//
// A window function costs the length of the window at every step; with a range of an hour, a sample
// every 15 s and as many steps, that is 240 visits of each sample, one after the other. Here:
//
//   sum, avg,     if windows overlap, two halves, on both sides of a multiple of the window's
//   min, max      length: folds of all tails of the older half, and of all heads of the newer one;
//                 nothing is ever subtracted. Several halves are folded side by side
//   stddev,       windows are folded side by side, as many as keep the processor busy; also sum,
//   stdvar        avg, min and max of windows that do not overlap
//   irate, idelta the last two samples
//   rate,         the positions of the resets, found once; windows whose samples lie alike have one
//   increase,     factor of extrapolation
//   delta
//   changes,      the number up to each sample, counted once
//   resets
//
// Results are bit for bit those of the window functions, except for sum and avg of windows that
// overlap, which may differ in the last digit; a sum that is not finite is computed the plain way.
// The result for a window does not depend on other windows.
#pragma once

#include <memory>
#include <span>

#include "query/engine/kernels/windows/window_row.h"
#include "query/promql/syntax/functions.h"

namespace lockstep::engine {

// For one thread; keeps memory for the next row.
class RowFunction {
 public:
  virtual ~RowFunction() = default;

  // Sets results[i] for every window i with at least min_samples() samples, to the function over
  // its floats; other results mean nothing. Precondition: there is a result for each window.
  virtual void Evaluate(const WindowRow& row, std::span<double> results) = 0;
  // Windows with fewer samples, left-out ones included, have no result.
  virtual uint64_t min_samples() const { return 1; }
  // How much memory it keeps after Evaluate().
  virtual uint64_t scratch_bytes(const WindowRow& /*row*/) const { return 0; }
  // Whether the cost is that of all samples of all windows. If not, it is that of the series.
  virtual bool visits_each_window() const { return false; }
};

enum class Overlap : bool { kNo, kYes };

// Null if there is nothing to gain. `overlap`: whether ranges are longer than steps.
std::unique_ptr<RowFunction> MakeRowFunction(promql::FunctionId id, Overlap overlap);

// Whether the result for a window may differ in the last digit from the window function's.
inline bool HasOwnOrder(promql::FunctionId id) {
  return id == promql::FunctionId::kSumOverTime || id == promql::FunctionId::kAvgOverTime;
}
// Whether the function looks at the start timestamps of counters, which rows do not have.
bool NeedsStartTimes(promql::FunctionId id);

}  // namespace lockstep::engine
