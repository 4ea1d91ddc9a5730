// MatchJudge: whether the matches inside one group keep to the rules of the operator's cardinality.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "query/engine/evaluated.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// Steps are judged one after the other, each on its own. Borrows the matching.
class MatchJudge {
 public:
  explicit MatchJudge(const promql::VectorMatching& matching) : matching_(matching) {}

  // A number for the labels of a result, for Match().
  size_t NumberOf(const LabelSet& result_labels);

  void StartStep();
  // Takes note of a match at this step. Fails at a second one in one-to-one matching, and at a second
  // one of the same result labels in many-to-one matching.
  absl::Status Match(size_t result_number);
  bool has_matched() const { return has_matched_; }

 private:
  const promql::VectorMatching& matching_;
  absl::flat_hash_map<LabelSet, size_t> numbers_;
  std::vector<size_t> last_step_;  // by number, at which it was matched; 0 for never
  size_t step_ = 0;                // from 1
  bool has_matched_ = false;
};

// The error for two elements of the "one" side in one match group.
absl::Status DuplicateMatchError(const EvaluatedSeries& a, const EvaluatedSeries& b,
                                 const promql::VectorMatching& matching);

}  // namespace lockstep::engine
