// RangeWindows: which stretch of time a range vector covers at every step, and what lies in it.
#pragma once

#include "model/sample.h"
#include "query/engine/kernels/window.h"
#include "query/engine/step_grid.h"
#include "query/promql/ast.h"
#include "storage/storage.h"

namespace lockstep::engine {

struct RangeWindows {
  StepGrid ends;        // inclusive; a single one if `pinned`
  bool pinned = false;  // by `@`: the same window at every step
  int64_t range_ms = 0;
  promql::RangeEdges edges = promql::RangeEdges::kPlain;
  int64_t lookback_ms = 0;  // how far anchored and smoothed edges look beyond the range
  SamplesNeeded needed = SamplesNeeded::kAll;  // of what lies in it

  // Margins of what is looked at before the start and behind the end.
  int64_t margin_before_ms() const { return edges == promql::RangeEdges::kPlain ? 0 : lookback_ms; }
  int64_t margin_after_ms() const {
    return edges == promql::RangeEdges::kSmoothed ? lookback_ms : 0;
  }
  // Everything that any window looks at. Precondition: ends.count > 0.
  TimeRange Extent() const {
    return {ends.start_ms - range_ms - margin_before_ms() + 1, ends.last_ms() + margin_after_ms()};
  }
};

// Slides over the samples of one series. Borrows both.
class WindowSlider {
 public:
  // Precondition: `samples` holds no stale markers.
  WindowSlider(const SampleColumns& samples, const RangeWindows& windows)
      : samples_(samples), windows_(windows) {}

  // All steps at which the window is not empty lie in it. `step_count`: of the evaluation.
  StepBlock Steps(size_t step_count) const;
  // Steps must not go back. The window borrows the samples.
  Window At(size_t step);

 private:
  // Beside the floats of these indices, half-open.
  uint64_t LeftOutBeside(size_t begin, size_t end) const;

  const SampleColumns& samples_;
  const RangeWindows& windows_;
  // Half-open index ranges of what the window holds.
  size_t first_float_ = 0;
  size_t end_float_ = 0;
  size_t first_histogram_ = 0;
  size_t end_histogram_ = 0;
  uint64_t left_out_ = 0;  // beside the floats of the window
};

// How many samples the window holds, histograms by their size.
int64_t BudgetSize(const Window& window);

}  // namespace lockstep::engine
