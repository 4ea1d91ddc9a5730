// SeriesIndex: the inverted index of one shard, in memory. Series id <-> label set, and matchers ->
// ids.
//
// Strings are interned: each distinct label pair is held once, a series is a run of four-byte pair
// ids, and every pair has the ascending list of the series that carry it (its postings).
//
// Threads: no lock inside. One writer at a time; const methods may run on many threads at once
// while no writer does. The caller's shared lock makes it so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/query_budget.h"
#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "storage/storage.h"

namespace lockstep {

// Names a series inside its shard. Given out by the caller; never reused for other labels while
// chunks under it may exist.
using SeriesId = uint32_t;

class SeriesIndex {
 public:
  SeriesIndex();
  ~SeriesIndex();
  SeriesIndex(const SeriesIndex&) = delete;
  SeriesIndex& operator=(const SeriesIndex&) = delete;

  // Preconditions: neither `id` nor `labels` is in the index. Fastest with ascending ids.
  void Add(SeriesId id, const LabelSet& labels);
  // Takes series out (retention); ids that are unknown are passed over. Cheaper for many at once
  // than one by one: every postings list concerned is rewritten once per call.
  void Remove(std::span<const SeriesId> ids);

  std::optional<SeriesId> Find(const LabelSet& labels) const;
  bool Contains(SeriesId id) const;
  // A fresh copy. Precondition: Contains(id).
  LabelSet Labels(SeriesId id) const;

  // Ascending ids of the series for which every matcher matches; all series when there is no
  // matcher. A label that a series lacks counts as "". Fails only with the error of `budget`, which
  // may be null.
  absl::StatusOr<std::vector<SeriesId>> Select(std::span<const Matcher> matchers,
                                               const QueryBudget* budget = nullptr) const;

  // Sorted and unique, of the series that Select() finds.
  absl::StatusOr<std::vector<std::string>> LabelNames(std::span<const Matcher> matchers,
                                                      const QueryBudget* budget = nullptr) const;
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       std::span<const Matcher> matchers,
                                                       const QueryBudget* budget = nullptr) const;

  size_t series_count() const;
  size_t label_pair_count() const;
  // The largest of each kind, at most `limit` rows each. Ties are in order of name.
  CardinalityStats Cardinality(size_t limit) const;
};

}  // namespace lockstep
