// WindowWorker: evaluates a function over a range vector, one series after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "query/engine/kernels/windows/row_function.h"
#include "query/engine/kernels/windows/window_functions.h"
#include "query/engine/ranges/range_windows.h"
#include "query/engine/selectors/series_columns.h"
#include "query/engine/selectors/series_part.h"
#include "query/engine/values/column.h"
#include "query/engine/values/evaluated.h"
#include "query/engine/values/sample_charge.h"
#include "query/engine/values/step_grid.h"
#include "query/promql/syntax/ast.h"
#include "query/promql/syntax/functions.h"

namespace lockstep::engine {

// A function over a range vector, and everything known about it before reading any series.
struct WindowCall {
  promql::FunctionId id{};
  WindowFunction function = nullptr;
  RangeWindows windows;
  std::vector<ScalarValue> params;
  // Positions of annotations.
  promql::PositionRange range_position;
  promql::PositionRange first_position;  // of the first argument
  bool is_range_query = false;
};

// For one thread. Borrows everything.
class WindowWorker {
 public:
  WindowWorker(const WindowCall& call, const StepGrid& grid, QueryBudget& budget);

  // Sets `column` at the steps that have a result for the samples of `series`, which stay as they
  // are.
  absl::Status Apply(SeriesPart& series, Column& column, WorkNotes& notes);

 private:
  absl::Status EvaluateRow(const SampleColumns& samples, const StepBlock& steps);
  absl::Status ChargeRow();
  size_t EndOfPart(size_t begin) const;
  bool StoreRow(const StepBlock& steps, Column& column, WorkNotes& notes) const;
  void CountSamples(const StepBlock& steps, uint64_t total, SampleCounts& counts) const;
  absl::StatusOr<bool> StoreWindows(const SampleColumns& samples, const StepBlock& steps,
                                    Column& column, WorkNotes& notes);
  absl::StatusOr<WindowResult> ApplyTo(const Window& window, size_t step, const StepBlock& steps);
  void Report(std::string_view name, bool gave_floats, WorkNotes& notes);

  const WindowCall& call_;
  const promql::FunctionId id_;
  const StepGrid& grid_;
  QueryBudget& budget_;
  std::unique_ptr<RowFunction> row_function_;  // may be null
  RowSlicer slicer_;
  SampleCharge row_charge_;  // for all that is kept from row to row
  int64_t charged_samples_ = 0;
  WindowRow row_;
  std::vector<double> results_;  // of the row's windows
  std::vector<double> params_of_step_;
  AnnotationSink sink_;
};

}  // namespace lockstep::engine
