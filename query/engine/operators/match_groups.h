// The matching of two vectors: which series may match, by the labels that they are matched on
// (MatchGroups), and whether the matches at a step obey the operator's cardinality (MatchJudge).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "query/engine/values/evaluated.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// The labels that `labels` is matched on: those after `on`, or all except the ignored ones and the
// metric name.
LabelSet MatchLabels(const LabelSet& labels, const promql::VectorMatching& matching);

// Groups are numbered from 0 in order of appearance. Computed once per operator, for all steps.
struct MatchGroups {
  struct Group {
    std::vector<uint32_t> left;  // indices of series
    std::vector<uint32_t> right;
  };
  std::vector<Group> groups;
  std::vector<uint32_t> left_group;  // of each series
  std::vector<uint32_t> right_group;

  static MatchGroups Of(const std::vector<EvaluatedSeries>& left,
                        const std::vector<EvaluatedSeries>& right,
                        const promql::VectorMatching& matching);
};

// Checks that the matches within one group obey the cardinality. Checks steps one after another,
// independently. Borrows the matching.
class MatchJudge {
 public:
  explicit MatchJudge(const promql::VectorMatching& matching) : matching_(matching) {}

  // Assigns a number to the labels of a result, for Match().
  size_t NumberOf(const LabelSet& result_labels);

  void StartStep();
  // Records a match at this step. Fails for a second one in one-to-one matching, and for a second
  // one with the same result labels in many-to-one matching.
  absl::Status Match(size_t result_number);
  bool has_matched() const { return has_matched_; }

 private:
  const promql::VectorMatching& matching_;
  absl::flat_hash_map<LabelSet, size_t> numbers_;
  std::vector<size_t> last_step_;  // by number: the last step with a match; 0 if never
  size_t step_ = 0;                // from 1
  bool has_matched_ = false;
};

// The error for two elements of the "one" side in one match group.
absl::Status DuplicateMatchError(const EvaluatedSeries& a, const EvaluatedSeries& b,
                                 const promql::VectorMatching& matching);

}  // namespace lockstep::engine
