// Dictionary: the series that a shard knows: labels <-> id, and where each keeps its chunks.
//
// On disk (docs/formats/keys.md) a target or metric has a row with its labels, and the series that became
// known in one commit share a row. Targets, metrics and series have numbers that ascend for ever: none is
// given out twice, be it rolled back or removed. So rows that a log whose end was in doubt holds still,
// or that could not be deleted, mean what they meant.
//
// Threads: one writer at a time, which may call const methods without a lock. Others hold the shard's
// lock shared and ask index(), churn(), PlaceOf() and SealedMaxMs() alone; the writer holds it exclusively for
// what is marked with (lock).
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
#include "base/sparse_array.h"
#include "model/labels.h"
#include "storage/db/clock.h"
#include "storage/db/dictionary_row.h"
#include "storage/db/family_table.h"
#include "storage/db/part_numbers.h"
#include "storage/db/series_churn.h"
#include "storage/db/series_limit.h"
#include "storage/db/series_place.h"
#include "storage/index/series_index.h"
#include "storage/kv/batch.h"

namespace lockstep {

class Dictionary {
 public:
  // `limit` is the store's, null for one that takes all. Counts in it what is known and staged. `now_ms`
  // tells when series appear and leave.
  explicit Dictionary(std::shared_ptr<SeriesLimit> limit = nullptr, Clock now_ms = SystemTimeMs);
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  const SeriesIndex& index() const { return index_; }
  // Since this was made; what was loaded is not counted.
  const SeriesChurn& churn() const { return churn_; }

  // New series, from their first sample to the commit that makes them durable:
  //   StageNew() ... PutStaged(), then CommitStaged() or RollbackStaged()
  // Staged ids are higher than all that were given out before. Nothing of a staged series can be found
  // before its commit. Precondition: `labels` are neither known nor staged.
  struct Staging {
    SeriesLimit::Answer answer = SeriesLimit::Answer::kTaken;
    SeriesId id = 0;  // if it was taken
  };
  Staging StageNew(const LabelSet& labels);
  bool IsStaged(SeriesId id) const { return !staged_.empty() && id >= staged_.front().id; }
  // What PutStaged() adds to a batch, at most.
  size_t staged_byte_count() const;
  void PutStaged(kv::Batch& batch) const;
  void CommitStaged();  // (lock)
  void RollbackStaged();

  // Takes series out, with the targets and metrics that are left without any. What their rows hold is
  // stale then. Unknown ids are passed over.
  void Remove(std::span<const SeriesId> ids);  // (lock)

  // Rows with stale content, a batch at a time: PutCleanup(), then CommitCleanup() if the batch is
  // durable. What was put but not committed is put again. Rows of series go before the rows that they
  // name.
  bool NeedsCleanup() const;
  void PutCleanup(kv::Batch& batch);
  void CommitCleanup();

  // Precondition of the next four: the id is in it.
  SeriesPlace PlaceOf(SeriesId id) const { return infos_[id].place; }
  // No chunk holds a later sample of the series; kNoTimeMs if none holds any.
  int64_t SealedMaxMs(SeriesId id) const { return infos_[id].sealed_max_ms; }
  void RaiseSealedMax(SeriesId id, int64_t time_ms);  // (lock)
  void LowerSealedMax(SeriesId id, int64_t time_ms);  // (lock)

  // What is on disk, for recovery: metrics and targets, then rows of series in the order of their keys,
  // then EndLoading(). If the labels of a part are known already its row is stale, and the number that
  // they have is returned; else its own is.
  MetricId LoadMetric(MetricId number, LabelSet labels);
  TargetId LoadTarget(TargetId number, LabelSet labels);
  // If there is a series with the same parts, this one takes its place, and the id of the other is
  // returned. Preconditions: `row`, the number in the row's key, is that of the last call or a higher
  // one; so is the entry's id; its parts were loaded.
  std::optional<SeriesId> LoadSeries(SeriesId row, const SeriesEntry& entry);
  // Marks a row as stale, one of series that was loaded.
  void MarkStale(SeriesId row) { stale_.series_rows.insert(row); }
  // Forgets parts without series.
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
  uint64_t counted_bytes_ = 0;  // in the limit

  // The writer's own.
  PartNumbers targets_{index_.targets(), "job"};
  PartNumbers metrics_{index_.metrics(), kMetricName};
  FamilyTable families_;
  SeriesId next_id_ = 0;
  std::vector<SeriesEntry> staged_;  // ids follow each other
  std::vector<SeriesId> rows_;       // that hold series, by the number in their key; ascending
  StaleRows stale_;
  StaleRows in_cleanup_;                // of `stale_`, what PutCleanup() put
  std::vector<SeriesId> emptied_rows_;  // of those, rows that it deleted
  // A commit failed, and its rows may be in the log: they may name targets and metrics that are known. So
  // no row of these is deleted before the next start, which finds what is there.
  bool is_in_doubt_ = false;
  // Of one commit or removal, by family.
  struct Change {
    SeriesParts example;
    uint32_t count = 0;
  };
  absl::flat_hash_map<FamilyKey, Change> changes_;
  std::string target_labels_;  // scratch
  std::string metric_labels_;
};

}  // namespace lockstep
