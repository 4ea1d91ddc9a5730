// SeriesIndex: the inverted index of one shard, in memory. Series id <-> label set, and matchers ->
// ids.
//
// A series is a target and a metric (label_split.h). The labels of each are held once, and targets
// and metrics have separate inverted indexes. A series is two numbers, listed with its target and
// with its metric. So a new target costs its labels only once, however many series it has.
//
// Threads: it has no lock. There is one writer at a time; const methods may run on many threads at
// once while no writer does. The caller's shared lock ensures this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "storage/index/label_sets.h"
#include "storage/index/postings.h"
#include "storage/index/series_selection.h"
#include "storage/index/series_table.h"

namespace lockstep {

class SeriesIndex {
 public:
  SeriesIndex() = default;
  SeriesIndex(const SeriesIndex&) = delete;
  SeriesIndex& operator=(const SeriesIndex&) = delete;

  // Adds a target that is about to get `series_count` series. Preconditions: neither its id nor its
  // labels are there; none of its labels belongs to a metric.
  void AddTarget(TargetId id, LabelSet labels, size_t series_count);
  // Adds a metric, all of whose labels belong to a metric.
  void AddMetric(MetricId id, LabelSet labels);
  // Preconditions: neither the id nor a series with these parts is there, but the parts are.
  // Fastest with ascending ids.
  void Add(SeriesId id, SeriesParts parts);
  // Gives the series `old_id` the number `id`. Preconditions: `old_id` is there, `id` is not.
  void Renumber(SeriesId old_id, SeriesId id);

  // Removes series, and the targets and metrics that no series is left for, which it returns;
  // unknown ids are ignored. One call for many series is cheaper than many calls: every affected
  // list is rewritten once per call.
  SeriesTable::Emptied Remove(std::span<const SeriesId> ids);
  // Removes targets and metrics that never had a series.
  void RemoveParts(const SeriesTable::Emptied& parts);

  const LabelSets& targets() const { return targets_; }
  const LabelSets& metrics() const { return metrics_; }
  const SeriesTable& series() const { return series_; }

  bool Contains(SeriesId id) const { return series_.Contains(id); }
  // A fresh copy. Precondition: Contains(id).
  LabelSet Labels(SeriesId id) const;

  // Ascending ids of the series for which every matcher matches; all series if there is no matcher.
  // A label that a series lacks counts as "". Fails only with the error of `budget`, which may be
  // null.
  absl::StatusOr<std::vector<SeriesId>> Select(std::span<const Matcher> matchers,
                                               const QueryBudget* budget = nullptr) const;

  // Sorted and unique, over the series that Select() finds. Their memory is charged to `budget`.
  absl::StatusOr<std::vector<std::string>> LabelNames(std::span<const Matcher> matchers,
                                                      QueryBudget* budget = nullptr) const;
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       std::span<const Matcher> matchers,
                                                       QueryBudget* budget = nullptr) const;

  size_t series_count() const { return series_.size(); }
  size_t label_pair_count() const { return targets_.pairs().size() + metrics_.pairs().size(); }

 private:
  absl::StatusOr<SelectedParts> SelectParts(std::span<const Matcher> matchers,
                                            const QueryBudget* budget) const;
  // The selected parts that have series with one another.
  absl::StatusOr<SelectedParts> PartsInUse(const SelectedParts& parts,
                                           const QueryBudget* budget) const;

  LabelSets targets_;
  LabelSets metrics_;
  SeriesTable series_;
};

}  // namespace lockstep
