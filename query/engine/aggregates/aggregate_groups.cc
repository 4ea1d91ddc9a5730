#include "query/engine/aggregates/aggregate_groups.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace lockstep::engine {

LabelSet Grouping::GroupLabels(const LabelSet& of) const {
  if (!without) return labels.empty() ? LabelSet() : of.Keep(labels);
  if (labels.empty()) return of.DropMetricName();
  std::vector<std::string> dropped = labels;
  dropped.emplace_back(kMetricName);
  return of.Drop(dropped);
}

std::vector<AggregateGroup> GroupSeries(const std::vector<EvaluatedSeries>& series,
                                        const Grouping& grouping) {
  std::vector<AggregateGroup> groups;
  absl::flat_hash_map<LabelSet, size_t> index;
  for (uint32_t i = 0; i < series.size(); ++i) {
    LabelSet labels = grouping.GroupLabels(series[i].labels);
    const auto [found, added] = index.try_emplace(labels, groups.size());
    if (added) groups.push_back({std::move(labels), {}});
    groups[found->second].members.push_back(i);
  }
  return groups;
}

StepBlock SpanOf(const AggregateGroup& group, const std::vector<EvaluatedSeries>& series) {
  StepBlock span = series[group.members[0]].column.span();
  for (const uint32_t index : group.members) {
    const StepBlock member = series[index].column.span();
    span = {std::min(span.begin, member.begin), std::max(span.end, member.end)};
  }
  return span;
}

}  // namespace lockstep::engine
