#include "storage/index/series_index.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/check.h"
#include "storage/index/id_set.h"
#include "storage/index/label_split.h"
#include "storage/index/selection.h"

namespace lockstep {
namespace {

using Words = absl::flat_hash_set<std::string_view>;

Postings ToPostings(const IdSet& set) {
  Postings ids;
  set.ForEach([&ids](uint32_t id) { ids.push_back(id); });
  return ids;
}

// The words live as long as `sets` does not change. Without `ids`: over all sets.
void AddNames(const LabelSets& sets, const std::optional<Postings>& ids, Words& names) {
  if (!ids) {
    for (const auto& [name, id] : sets.pairs().names()) names.insert(name);
    return;
  }
  for (const uint32_t id : *ids) {
    for (const LabelView& label : sets.LabelsOf(id)) names.insert(label.name);
  }
}

void AddValues(const LabelSets& sets, const std::optional<Postings>& ids, std::string_view name,
               Words& values) {
  const std::optional<NameId> name_id = sets.pairs().FindName(name);
  if (!name_id) return;
  if (!ids) {
    for (const auto& [value, pair] : sets.pairs().values(*name_id)) values.insert(value);
    return;
  }
  for (const uint32_t id : *ids) {
    const std::string_view value = sets.LabelsOf(id).Get(name);
    if (!value.empty()) values.insert(value);
  }
}

absl::StatusOr<std::vector<std::string>> Sorted(const Words& words, QueryBudget* budget) {
  if (budget != nullptr) {
    // The memory of a word here, in the list and, for a moment, in the list of all shards.
    constexpr size_t kWordBytes = 2 * sizeof(std::string_view) + 2 * sizeof(std::string);
    size_t bytes = words.size() * kWordBytes;
    for (const std::string_view word : words) bytes += word.size();
    LOCKSTEP_RETURN_IF_ERROR(budget->ChargeAnswer(static_cast<int64_t>(bytes)));
  }
  std::vector<std::string> sorted(words.begin(), words.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

void SeriesIndex::AddTarget(TargetId id, LabelSet labels, size_t series_count) {
  targets_.Add(id, std::move(labels));
  series_.Reserve(id, series_count);
}

void SeriesIndex::AddMetric(MetricId id, LabelSet labels) { metrics_.Add(id, std::move(labels)); }

void SeriesIndex::Add(SeriesId id, SeriesParts parts) { series_.Add(id, parts); }

void SeriesIndex::Renumber(SeriesId old_id, SeriesId id) {
  const SeriesParts parts = series_.PartsOf(old_id);
  series_.Remove({&old_id, 1});
  series_.Add(id, parts);
}

SeriesTable::Emptied SeriesIndex::Remove(std::span<const SeriesId> ids) {
  SeriesTable::Emptied emptied = series_.Remove(ids);
  RemoveParts(emptied);
  return emptied;
}

void SeriesIndex::RemoveParts(const SeriesTable::Emptied& parts) {
  targets_.Remove(parts.targets);
  metrics_.Remove(parts.metrics);
}

LabelSet SeriesIndex::Labels(SeriesId id) const {
  LOCKSTEP_CHECK(series_.Contains(id));
  const SeriesParts parts = series_.PartsOf(id);
  return MergeLabels(targets_.LabelsOf(parts.target), metrics_.LabelsOf(parts.metric));
}

absl::StatusOr<SelectedParts> SeriesIndex::SelectParts(std::span<const Matcher> matchers,
                                                       const QueryBudget* budget) const {
  std::vector<const Matcher*> of_targets, of_metrics;
  for (const Matcher& matcher : matchers) {
    (IsMetricLabel(matcher.name()) ? of_metrics : of_targets).push_back(&matcher);
  }
  SelectedParts parts;
  LOCKSTEP_ASSIGN_OR_RETURN(parts.targets, SelectLabelSets(targets_, of_targets, budget));
  LOCKSTEP_ASSIGN_OR_RETURN(parts.metrics, SelectLabelSets(metrics_, of_metrics, budget));
  return parts;
}

absl::StatusOr<SelectedParts> SeriesIndex::PartsInUse(const SelectedParts& parts,
                                                      const QueryBudget* budget) const {
  if (!parts.targets && !parts.metrics) return parts;
  LOCKSTEP_ASSIGN_OR_RETURN(const Postings ids, SelectSeries(series_, parts, budget));
  IdSet targets, metrics;
  for (const SeriesId id : ids) {
    const SeriesParts of = series_.PartsOf(id);
    targets.Insert(of.target);
    metrics.Insert(of.metric);
  }
  return SelectedParts{ToPostings(targets), ToPostings(metrics)};
}

absl::StatusOr<std::vector<SeriesId>> SeriesIndex::Select(std::span<const Matcher> matchers,
                                                          const QueryBudget* budget) const {
  LOCKSTEP_ASSIGN_OR_RETURN(const SelectedParts parts, SelectParts(matchers, budget));
  return SelectSeries(series_, parts, budget);
}

absl::StatusOr<std::vector<std::string>> SeriesIndex::LabelNames(std::span<const Matcher> matchers,
                                                                 QueryBudget* budget) const {
  LOCKSTEP_ASSIGN_OR_RETURN(SelectedParts parts, SelectParts(matchers, budget));
  LOCKSTEP_ASSIGN_OR_RETURN(parts, PartsInUse(parts, budget));
  Words names;
  AddNames(targets_, parts.targets, names);
  AddNames(metrics_, parts.metrics, names);
  return Sorted(names, budget);
}

absl::StatusOr<std::vector<std::string>> SeriesIndex::LabelValues(std::string_view name,
                                                                  std::span<const Matcher> matchers,
                                                                  QueryBudget* budget) const {
  LOCKSTEP_ASSIGN_OR_RETURN(SelectedParts parts, SelectParts(matchers, budget));
  const bool is_metric = IsMetricLabel(name);
  // If only one part is selected, everything selected has series.
  if (is_metric ? parts.targets.has_value() : parts.metrics.has_value()) {
    LOCKSTEP_ASSIGN_OR_RETURN(parts, PartsInUse(parts, budget));
  }
  Words values;
  AddValues(is_metric ? metrics_ : targets_, is_metric ? parts.metrics : parts.targets, name,
            values);
  return Sorted(values, budget);
}

}  // namespace lockstep
