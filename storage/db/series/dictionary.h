// Dictionary: the series that a shard knows: labels <-> id, and where each keeps its chunks.
//
// On disk (docs/formats/keys.md) each target and each metric has a row with its labels, and series
// that became known in one commit share a row. The numbers of targets, metrics and series only
// ascend: none is used twice, even after a rollback or a removal. So a row that could not be
// deleted, or that remains in a log whose end was in doubt, keeps its meaning.
//
// Threads: one writer at a time, which may call const methods without a lock. Other threads hold
// the shard's lock shared and call only index(), churn(), PlaceOf() and SealedMaxMs(); the writer
// holds it exclusively for the methods marked with (lock).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/clock.h"
#include "base/memory/sparse_array.h"
#include "model/labels.h"
#include "storage/db/series/dictionary_row.h"
#include "storage/db/series/part_numbers.h"
#include "storage/db/series/series_churn.h"
#include "storage/db/series/series_limit.h"
#include "storage/db/series/series_place.h"
#include "storage/index/series_index.h"
#include "storage/kv/batch.h"

namespace lockstep {

class Dictionary {
 public:
  // `limit` is the store's; null: no limit. Known and staged series are counted in it. `now_ms`
  // gives the time at which series appear and leave.
  explicit Dictionary(std::shared_ptr<SeriesLimit> limit = nullptr, Clock now_ms = SystemTimeMs);
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  const SeriesIndex& index() const { return index_; }
  // Changes since the dictionary was created; loaded series are not counted.
  const SeriesChurn& churn() const { return churn_; }

  // New series, from their first sample to the commit that makes them durable:
  //   StageNew() ... PutStaged(), then CommitStaged() or RollbackStaged()
  // Staged ids are higher than all ids given out before. A staged series cannot be found before its
  // commit. Precondition: `labels` are neither known nor staged.
  struct Staging {
    SeriesLimit::Answer answer = SeriesLimit::Answer::kTaken;
    SeriesId id = 0;  // if it was accepted
  };
  Staging StageNew(const LabelSet& labels);
  bool IsStaged(SeriesId id) const { return !staged_.empty() && id >= staged_.front().id; }
  // The most bytes that PutStaged() adds to a batch.
  size_t staged_byte_count() const;
  void PutStaged(kv::Batch& batch) const;
  void CommitStaged();  // (lock)
  void RollbackStaged();

  // Removes series, and the targets and metrics that no series is left for. The content of their
  // rows is then stale. Unknown ids are ignored.
  void Remove(std::span<const SeriesId> ids);  // (lock)

  // Deletes rows with stale content, one batch at a time: PutCleanup(), then CommitCleanup() once
  // the batch is durable. What was put but not committed is put again. Rows of series are deleted
  // before the rows that they refer to.
  bool NeedsCleanup() const;
  void PutCleanup(kv::Batch& batch);
  void CommitCleanup();

  // Precondition of the next four: the dictionary has the id.
  SeriesPlace PlaceOf(SeriesId id) const { return infos_[id].place; }
  // No chunk holds a later sample of the series; kNoTimeMs if no chunk holds any.
  int64_t SealedMaxMs(SeriesId id) const { return infos_[id].sealed_max_ms; }
  void RaiseSealedMax(SeriesId id, int64_t time_ms);  // (lock)
  void LowerSealedMax(SeriesId id, int64_t time_ms);  // (lock)

  // Loads what is on disk, for recovery: metrics and targets, then rows of series in the order of
  // their keys, then EndLoading(). If the labels of a part are already known, its row is stale, and
  // the number that they have is returned; otherwise its own number is returned.
  MetricId LoadMetric(MetricId number, LabelSet labels);
  TargetId LoadTarget(TargetId number, LabelSet labels);
  // If there is a series with the same parts, this one replaces it, and the id of the replaced
  // series is returned. Preconditions: `row`, the number in the row's key, does not descend from
  // call to call; the entry's id ascends; its parts were loaded.
  std::optional<SeriesId> LoadSeries(SeriesId row, const SeriesEntry& entry);
  // Marks as stale a row of series that was loaded.
  void MarkStale(SeriesId row) { stale_.series_rows.insert(row); }
  // Forgets parts that have no series.
  void EndLoading();

 private:
  struct Info {
    SeriesPlace place;
    int64_t sealed_max_ms = std::numeric_limits<int64_t>::min();
  };
  struct StaleRows {
    std::set<SeriesId> series_rows;
    Postings targets;
    Postings metrics;
  };

  FamilyKey FamilyOf(SeriesParts parts) const {
    return {targets_.GroupOf(parts.target), metrics_.GroupOf(parts.metric)};
  }
  using AddChurn = void (SeriesChurn::*)(std::string_view job, std::string_view metric,
                                         uint32_t count);
  uint64_t KnownBytes() const;
  void CountBytes(uint64_t bytes);
  void GiveBack(const absl::flat_hash_map<uint32_t, uint64_t>& count_by_group);
  void CountChange(SeriesParts parts);
  void NoteChanges(AddChurn add);
  SeriesId RowOf(SeriesId id) const;
  void ForgetParts(const SeriesTable::Emptied& parts);
  std::vector<SeriesEntry> EntriesOfRow(SeriesId row) const;

  const std::shared_ptr<SeriesLimit> limit_;
  const Clock now_ms_;
  SeriesIndex index_;
  SparseArray<Info, 8> infos_;
  SeriesChurn churn_;
  uint64_t counted_bytes_ = 0;  // counted in the limit

  // Used by the writer only.
  PartNumbers targets_{index_.targets(), "job"};
  PartNumbers metrics_{index_.metrics(), kMetricName};
  FamilyTable families_;
  SeriesId next_id_ = 0;
  std::vector<SeriesEntry> staged_;  // consecutive ids
  std::vector<SeriesId> rows_;       // rows that hold series, by the number in their key; ascending
  StaleRows stale_;
  StaleRows in_cleanup_;                // the part of `stale_` that PutCleanup() has put
  std::vector<SeriesId> emptied_rows_;  // the rows among them that it deleted
  // A commit failed, and its rows may still be in the log, where they may refer to known targets
  // and metrics. So no row of a target or metric is deleted before the next start, which finds what
  // is there.
  bool is_in_doubt_ = false;
  // The changes of one commit or removal, by family.
  struct Change {
    SeriesParts example;
    uint32_t count = 0;
  };
  absl::flat_hash_map<FamilyKey, Change> changes_;
  std::string target_labels_;  // scratch
  std::string metric_labels_;
};

}  // namespace lockstep
