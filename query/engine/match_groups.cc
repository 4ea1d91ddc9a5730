#include "query/engine/match_groups.h"

#include "absl/container/flat_hash_map.h"

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

}  // namespace lockstep::engine
