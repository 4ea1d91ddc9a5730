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

#include "absl/container/flat_hash_set.h"
#include "base/query_budget.h"
#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "storage/index/label_pairs.h"
#include "storage/index/postings.h"
#include "storage/index/series_table.h"
#include "storage/storage.h"

namespace lockstep {

class SeriesIndex {
 public:
  SeriesIndex() = default;
  SeriesIndex(const SeriesIndex&) = delete;
  SeriesIndex& operator=(const SeriesIndex&) = delete;

  // Preconditions: neither `id` nor `labels` is in the index. Fastest with ascending ids.
  void Add(SeriesId id, const LabelSet& labels);
  // Takes series out (retention); ids that are unknown are passed over. Cheaper for many at once
  // than one by one: every postings list concerned is rewritten once per call.
  void Remove(std::span<const SeriesId> ids);

  std::optional<SeriesId> Find(const LabelSet& labels) const;
  bool Contains(SeriesId id) const { return series_.Contains(id); }
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

  size_t series_count() const { return series_.size(); }
  size_t label_pair_count() const { return pairs_.size(); }
  // The largest of each kind, at most `limit` rows each. Ties are in order of name.
  CardinalityStats Cardinality(size_t limit) const;

 private:
  // What finds a series by its labels: the set holds keys, and is asked with probes.
  struct Key {
    uint32_t labels_hash = 0;
    SeriesId id = 0;
  };
  struct Probe {
    uint32_t labels_hash = 0;
    const LabelSet& labels;
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(const Key& key) const { return absl::Hash<uint32_t>()(key.labels_hash); }
    size_t operator()(const Probe& probe) const {
      return absl::Hash<uint32_t>()(probe.labels_hash);
    }
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(const Key& a, const Key& b) const { return a.id == b.id; }
    bool operator()(const Key& key, const Probe& probe) const {
      return key.labels_hash == probe.labels_hash && index->HasLabels(key.id, probe.labels);
    }
    const SeriesIndex* index;
  };

  static uint32_t HashOf(const LabelSet& labels);
  bool HasLabels(SeriesId id, const LabelSet& labels) const;

  LabelPairs pairs_;
  SeriesTable series_;
  Postings all_ids_;
  absl::flat_hash_set<Key, KeyHash, KeyEqual> by_labels_{0, KeyHash(), KeyEqual{this}};
};

}  // namespace lockstep
