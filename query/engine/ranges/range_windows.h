// RangeWindows: the time range that a range vector covers at each step, and the samples in it. A
// function needs only few of them if every range consists of whole buckets of the store.
#pragma once

#include <vector>

#include "model/sample.h"
#include "query/engine/kernels/windows/window.h"
#include "query/engine/kernels/windows/window_row.h"
#include "query/engine/values/step_grid.h"
#include "query/promql/syntax/ast.h"
#include "query/promql/syntax/functions.h"
#include "storage/query.h"

namespace lockstep::engine {

struct RangeWindows {
  StepGrid ends;        // inclusive; only one if `pinned`
  bool pinned = false;  // by `@`: every step has the same window
  int64_t range_ms = 0;
  promql::RangeEdges edges = promql::RangeEdges::kPlain;
  int64_t lookback_ms = 0;  // how far anchored and smoothed edges look beyond the range
  SamplesNeeded needed = SamplesNeeded::kAll;  // of the samples in the window

  // How far windows extend before the start and after the end.
  int64_t margin_before_ms() const { return edges == promql::RangeEdges::kPlain ? 0 : lookback_ms; }
  int64_t margin_after_ms() const {
    return edges == promql::RangeEdges::kSmoothed ? lookback_ms : 0;
  }
  // The range of all windows. Precondition: ends.count > 0.
  TimeRange Extent() const {
    return {ends.start_ms - range_ms - margin_before_ms() + 1, ends.last_ms() + margin_after_ms()};
  }
};

// Slides over the samples of one series. Borrows both.
class WindowSlider {
 public:
  // Precondition: `samples` has no stale markers.
  WindowSlider(const SampleColumns& samples, const RangeWindows& windows)
      : samples_(samples), windows_(windows) {}

  // A block that contains all steps with a non-empty window. `step_count` is that of the
  // evaluation.
  StepBlock Steps(size_t step_count) const;
  // Steps must not decrease. The window borrows the samples.
  Window At(size_t step);

 private:
  // The number of left-out samples next to the floats [begin, end).
  uint64_t LeftOutBeside(size_t begin, size_t end) const;

  const SampleColumns& samples_;
  const RangeWindows& windows_;
  // Half-open index ranges of the window's samples.
  size_t first_float_ = 0;
  size_t end_float_ = 0;
  size_t first_histogram_ = 0;
  size_t end_histogram_ = 0;
  uint64_t left_out_ = 0;  // left-out samples in the window
};

// Finds all windows of a series of floats at once. Borrows `windows`; keeps memory for the next
// series.
class RowSlicer {
 public:
  // Precondition: `windows` has plain edges and is not pinned.
  explicit RowSlicer(const RangeWindows& windows) : windows_(windows) {}

  // The windows at `steps` over the floats of `samples`, which has no stale markers. The row is
  // valid until the next call and as long as the samples.
  WindowRow Slice(const SampleColumns& samples, const StepBlock& steps);

 private:
  void CountLeftOut(const SampleColumns& samples);

  const RangeWindows& windows_;
  std::vector<uint32_t> firsts_;
  std::vector<uint32_t> ends_;
  std::vector<uint64_t> left_out_before_;
};

// The number of samples in the window, with histograms weighted by size.
int64_t BudgetSize(const Window& window);

// The samples with which the function returns exactly the same result as with all samples.
SamplesNeeded SamplesNeededBy(promql::FunctionId id, const RangeWindows& windows);

}  // namespace lockstep::engine
