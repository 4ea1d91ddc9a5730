// The contract between the store and the rest of the server: Storage accepts writes
// (storage/write.h) and creates Queriers (storage/query.h). Nothing above this interface sees a
// chunk, a key or RocksDB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "model/sample.h"
#include "model/series_key.h"
#include "storage/cardinality.h"
#include "storage/query.h"
#include "storage/write.h"

namespace lockstep {

// For status pages and self-metrics. A snapshot whose fields may be a moment apart.
struct StorageStats {
  uint64_t series_count = 0;       // in the index
  uint64_t max_series = 0;         // limit of series; 0: no limit
  uint64_t head_series_count = 0;  // series with samples in memory
  uint64_t head_sample_count = 0;
  int64_t min_time_ms = 0;  // over all stored samples; 0 when there are none
  int64_t max_time_ms = 0;
  uint64_t appended_samples = 0;  // since start, like all below
  uint64_t duplicate_samples = 0;
  uint64_t overwritten_samples = 0;
  uint64_t out_of_order_samples = 0;
  uint64_t rejected_samples = 0;
  uint64_t commit_count = 0;  // synced group commits
  uint64_t commit_bytes = 0;
  double commit_seconds = 0;
  uint64_t sealed_chunks = 0;
  uint64_t sealed_bytes = 0;
  uint64_t merge_count = 0;  // merges of runs of a window
  uint64_t merge_read_bytes = 0;
  uint64_t merge_written_bytes = 0;
  double merge_seconds = 0;
  uint64_t expired_samples = 0;         // dropped by retention, in chunks' samples
  uint64_t budget_dropped_samples = 0;  // dropped to keep within max_bytes, likewise
  uint64_t failed_writes = 0;           // write requests answered with an error
  uint64_t queue_depth = 0;             // requests waiting for a shard
  uint64_t disk_bytes = 0;              // all files of the data folder
  uint64_t used_bytes = 0;  // the part that max_bytes limits: no snapshots or files being deleted
  uint64_t max_bytes = 0;   // limit of the size on disk; 0: no limit
  uint64_t label_pair_count = 0;
  uint64_t window_count = 0;       // windows with stored samples, in all shards
  uint64_t cold_window_count = 0;  // those that have only one run, in the cold space
  uint64_t run_count = 0;          // over all windows: what seals and merges left
  bool read_only = false;          // while the disk is full, and always in a read-only store
  uint32_t shard_count = 0;
  // Whether retention follows the wall clock; if not, how far the wall clock is ahead of the time
  // that retention uses.
  bool clock_is_trusted = true;
  double clock_offset_seconds = 0;
};

// All methods are safe from any thread.
class Storage {
 public:
  virtual ~Storage() = default;
  // Takes the request; `committed` runs after its samples are synced to disk and visible to
  // Queriers created from then on. Precondition: every series has a metric name or at least one
  // label.
  virtual void Write(WriteRequest request, WriteCallback committed) = 0;
  // Sets refs[i] to the series with keys[i], or to a ref that is not known(). A store that finds
  // series only by their labels knows none. Precondition: both have the same size.
  virtual void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const {
    std::fill(refs.begin(), refs.begin() + static_cast<ptrdiff_t>(keys.size()), SeriesRef());
  }
  virtual absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const = 0;
  // The number of changes so far to what Queriers see. A Querier created after the call sees all of
  // them.
  virtual uint64_t change_count() const { return 0; }
  // The times, both ends included, for which every Querier created while change_count() was at
  // least `count`, including one created now, sees the same samples. Empty if unknown. The times of
  // a write or a deletion are excluded once its caller was told that it is done.
  virtual TimeRange UnchangedSince(uint64_t /*count*/) const { return {0, -1}; }
  virtual StorageStats stats() const = 0;
  virtual absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const = 0;
};

}  // namespace lockstep
