// Columns out of series, made by several threads when there are enough series.
//
// Which thread takes which series changes nothing in what comes out: columns lie in the order of labels,
// annotations in the order of the series they are about, and of several errors that of the first series
// is given.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "query/engine/evaluator.h"
#include "query/engine/kernels/annotation.h"
#include "query/engine/series_part.h"

namespace lockstep::engine {

// What a worker leaves beside its columns.
class WorkNotes {
 public:
  explicit WorkNotes(SampleCounts counts) : counts_(std::move(counts)) {}

  SampleCounts& counts() { return counts_; }
  // Neighbours tend to have the same to say, which is needed once.
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

  size_t series_ = 0;  // that the worker is at
  SampleCounts counts_;
  std::vector<Note> annotations_;
};

// Fills `column`, of which all steps are absent, from the series that the part is at. Each worker is used
// by one thread, and what it shares with others it does not change.
using ColumnWorker =
    absl::AnyInvocable<absl::Status(SeriesPart& series, Column& column, WorkNotes& notes)>;

// One column for every series of which a worker set any step. `new_worker` is called once for each part,
// in the thread of the caller.
absl::StatusOr<VectorValue> MakeColumns(SeriesParts parts, bool drop_names, Evaluator& evaluator,
                                        absl::FunctionRef<ColumnWorker()> new_worker);

// How many parts MakeColumns() makes good use of.
size_t MaxParts(const QueryContext& context);

}  // namespace lockstep::engine
