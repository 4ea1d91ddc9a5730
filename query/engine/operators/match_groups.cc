#include "query/engine/operators/match_groups.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "query/engine/values/metric_labels.h"

namespace lockstep::engine {

LabelSet MatchLabels(const LabelSet& labels, const promql::VectorMatching& matching) {
  if (matching.on) return labels.Keep(matching.labels);
  if (matching.labels.empty()) return labels.DropMetricName();
  std::vector<std::string> ignored = matching.labels;
  ignored.emplace_back(kMetricName);
  return labels.Drop(ignored);
}

MatchGroups MatchGroups::Of(const std::vector<EvaluatedSeries>& left,
                            const std::vector<EvaluatedSeries>& right,
                            const promql::VectorMatching& matching) {
  MatchGroups made;
  absl::flat_hash_map<LabelSet, uint32_t> numbers;
  const auto number_of = [&](const LabelSet& labels) {
    const auto [found, added] =
        numbers.try_emplace(MatchLabels(labels, matching), static_cast<uint32_t>(numbers.size()));
    if (added) made.groups.emplace_back();
    return found->second;
  };
  for (uint32_t i = 0; i < left.size(); ++i) {
    made.left_group.push_back(number_of(left[i].labels));
    made.groups[made.left_group.back()].left.push_back(i);
  }
  for (uint32_t i = 0; i < right.size(); ++i) {
    made.right_group.push_back(number_of(right[i].labels));
    made.groups[made.right_group.back()].right.push_back(i);
  }
  return made;
}

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
