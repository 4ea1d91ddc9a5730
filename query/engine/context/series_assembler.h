// Merges series with equal labels: while a vector is assembled (SeriesAssembler), and when metric
// names are dropped, which happens at the end of the query rather than in each operator.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "query/engine/context/evaluator.h"
#include "query/engine/values/evaluated.h"

namespace lockstep::engine {

// Assembles columns to a vector. In an evaluation of one step, series with equal labels stay
// separate; the end of the query checks them.
class SeriesAssembler {
 public:
  // Borrows the evaluator.
  explicit SeriesAssembler(const Evaluator& evaluator)
      : evaluator_(evaluator), vector_(evaluator.NewVector()) {}

  // Ignores empty columns. Fails with SameLabelsetError() if a step already has a value.
  absl::Status Add(LabelSet labels, bool drop_name, Column column);

  VectorValue Take() { return std::move(vector_); }

 private:
  const Evaluator& evaluator_;
  VectorValue vector_;
  absl::flat_hash_map<LabelSet, size_t> index_;
};

// Merges series with equal labels into the first of them. Fails with SameLabelsetError() if two of
// them have a value at the same step.
absl::Status MergeEqualLabels(VectorValue& vector);

// Drops the metric name (with type and unit) of marked series, then merges.
absl::Status RemoveNames(VectorValue& vector);

}  // namespace lockstep::engine
