// Makes columns from series, with several threads if there are enough series.
//
// The result does not depend on which thread takes which series: columns are in label order,
// annotations are in the order of their series, and of several errors, that of the first series is
// returned.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "query/engine/context/evaluator.h"
#include "query/engine/kernels/text/annotation.h"
#include "query/engine/selectors/series_part.h"

namespace lockstep::engine {

// A worker's output in addition to its columns.
class WorkNotes {
 public:
  explicit WorkNotes(SampleCounts counts) : counts_(std::move(counts)) {}

  SampleCounts& counts() { return counts_; }
  // Skips repeated annotations, because neighbouring series tend to have the same ones.
  void Annotate(Annotation annotation, promql::PositionRange at) {
    const bool is_said = !annotations_.empty() && annotations_.back().at == at &&
                         AreAlike(annotations_.back().annotation, annotation);
    if (is_said) return;
    annotations_.push_back({series_, std::move(annotation), at});
  }

 private:
  friend class ColumnPass;
  struct Note {
    size_t series;
    Annotation annotation;
    promql::PositionRange at;
  };

  size_t series_ = 0;  // the worker's current series
  SampleCounts counts_;
  std::vector<Note> annotations_;
};

// Fills `column`, whose steps are all absent, from the part's current series. Each worker is used
// by one thread and must not change data that it shares with others.
using ColumnWorker =
    absl::AnyInvocable<absl::Status(SeriesPart& series, Column& column, WorkNotes& notes)>;

// Returns one column for every series for which a worker set any step. Calls `new_worker` once per
// part, on the caller's thread.
absl::StatusOr<VectorValue> MakeColumns(SeriesParts parts, bool drop_names, Evaluator& evaluator,
                                        absl::FunctionRef<ColumnWorker()> new_worker);

// Fills the columns of `made`, whose steps are all absent, from the part's current series, and sets
// the labels of those that shall not have the series' own.
using SeriesWorker = absl::AnyInvocable<absl::Status(
    SeriesPart& series, std::span<EvaluatedSeries> made, WorkNotes& notes)>;

// The same with up to `columns_per_series` columns for every series.
absl::StatusOr<VectorValue> MakeSeries(SeriesParts parts, size_t columns_per_series,
                                       bool drop_names, Evaluator& evaluator,
                                       absl::FunctionRef<SeriesWorker()> new_worker);

// The number of parts that MakeColumns() can use efficiently.
size_t MaxParts(const QueryContext& context);

}  // namespace lockstep::engine
