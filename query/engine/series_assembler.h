// SeriesAssembler: puts columns together to a vector, those of equal labels to one series.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "query/engine/evaluator.h"

namespace lockstep::engine {

// In an evaluation of one step equal labels stay apart: they are looked for at the end of the query.
class SeriesAssembler {
 public:
  // Borrows the evaluator.
  explicit SeriesAssembler(const Evaluator& evaluator)
      : evaluator_(evaluator), vector_(evaluator.NewVector()) {}

  // An empty column leaves no trace. Fails with SameLabelsetError() when a step has a value already.
  absl::Status Add(LabelSet labels, bool drop_name, Column column);

  VectorValue Take() { return std::move(vector_); }

 private:
  const Evaluator& evaluator_;
  VectorValue vector_;
  absl::flat_hash_map<LabelSet, size_t> index_;
};

// Moves what `from` holds into `into`; fails with SameLabelsetError() if both hold a step.
absl::Status MergeColumns(const Column& from, Column& into);

}  // namespace lockstep::engine
