#include "query/engine/match_judge.h"

#include "absl/strings/str_format.h"
#include "query/engine/match_groups.h"
#include "query/engine/metric_labels.h"

namespace lockstep::engine {

size_t MatchJudge::NumberOf(const LabelSet& result_labels) {
  const auto [found, added] = numbers_.try_emplace(result_labels, last_step_.size());
  if (added) last_step_.push_back(0);
  return found->second;
}

void MatchJudge::StartStep() {
  ++step_;
  has_matched_ = false;
}

absl::Status MatchJudge::Match(size_t result_number) {
  if (matching_.cardinality == promql::MatchCardinality::kOneToOne) {
    if (has_matched_) {
      return absl::FailedPreconditionError(
          "multiple matches for labels: many-to-one matching must be explicit "
          "(group_left/group_right)");
    }
  } else if (last_step_[result_number] == step_) {
    return absl::FailedPreconditionError(
        "multiple matches for labels: grouping labels must ensure unique matches");
  }
  last_step_[result_number] = step_;
  has_matched_ = true;
  return absl::OkStatus();
}

absl::Status DuplicateMatchError(const EvaluatedSeries& a, const EvaluatedSeries& b,
                                 const promql::VectorMatching& matching) {
  const bool one_is_left = matching.cardinality == promql::MatchCardinality::kOneToMany;
  const bool in_order = a.labels < b.labels;
  return absl::FailedPreconditionError(absl::StrFormat(
      "found duplicate series for the match group %s on the %s hand-side of the operation: "
      "[%s, %s];many-to-many matching not allowed: matching labels must be unique on one side",
      LabelsText(MatchLabels(a.labels, matching)), one_is_left ? "left" : "right",
      LabelsText(in_order ? a.labels : b.labels), LabelsText(in_order ? b.labels : a.labels)));
}

}  // namespace lockstep::engine
