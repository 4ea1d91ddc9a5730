// The contract between the store and the rest of the server: Storage accepts writes and creates
// Queriers; a Querier finds series; a SeriesSet iterates over them. Nothing above this interface
// sees a chunk, a key or RocksDB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/budget/query_budget.h"
#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "model/sample.h"
#include "model/series_key.h"
#include "storage/cardinality.h"

namespace lockstep {

// Incoming samples of one series, in any order of time.
struct SeriesWrite {
  LabelSet labels;
  std::vector<Sample> samples;
  std::vector<HistogramSample> histograms;
  // When the counters of `samples` began, 0: unknown; one for each sample, or none.
  std::vector<int64_t> start_timestamps_ms{};
};

// A series as its store knows it, until it is dropped; the number is never reused.
struct SeriesRef {
  static constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

  uint32_t shard = kUnknown;
  uint32_t id = 0;
  bool known() const { return shard != kUnknown; }
};

struct KnownSample {
  SeriesRef series;  // known()
  Sample sample;
  int64_t start_timestamp_ms = 0;  // when the counter began; 0: unknown
};

// A series is in one of the two, or in both with different times.
struct WriteRequest {
  std::vector<SeriesWrite> series;
  std::vector<KnownSample> known;  // in any order; for one series and time the last wins
};

// Why samples of one series of the request were not stored.
struct RejectedSeries {
  size_t series_index = 0;  // index into WriteRequest::series; its size for known ones
  uint64_t sample_count = 0;
  std::string reason;  // one clause, for people: "3 samples are older than the retention of 15d"
  bool is_over_series_limit = false;  // the series is new, and the store may not have more
  LabelSet labels{};                  // of that series, which the caller no longer has
};

// How many series each tenant with a matching id may have in a store.
struct TenantSeriesLimit {
  std::optional<Matcher> tenant;  // matches ids (model/tenant.h); nothing: any
  uint64_t max_series = 0;        // 0: no limit
};

// How many series a store may have; samples of new series beyond it are rejected. 0: no limit.
struct SeriesLimits {
  uint64_t max_series = 0;
  uint64_t max_series_per_job = 0;             // per tenant and value of the label job
  std::vector<TenantSeriesLimit> by_tenant{};  // the first that matches applies
};

// The outcome of a request. Every sample is counted in exactly one of the four counts.
struct WriteOutcome {
  uint64_t written_count = 0;
  uint64_t duplicate_count = 0;    // same time and bits as a stored sample: fine, a retry
  uint64_t overwritten_count = 0;  // same time as a stored sample, other value: the last write wins
  uint64_t rejected_count = 0;
  std::vector<RejectedSeries> rejected;
};

// Called exactly once, from a thread of the store, or from within Write() when the answer is known
// at once; must not block. Errors:
//   kResourceExhausted  the write queue is full; nothing was stored, retry later
//   kUnavailable        the disk is full, or the store is closing; retry later
//   kPermissionDenied   the store is read-only
//   kDataLoss/kInternal the store is broken; its message says how
using WriteCallback = absl::AnyInvocable<void(absl::StatusOr<WriteOutcome>)>;

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

// The series of one selection, or a part of them, one at a time. Not thread-safe; must not outlive
// its Querier.
class SeriesSet {
 public:
  virtual ~SeriesSet() = default;
  // The number of series.
  virtual size_t size() const = 0;
  // The work of reading them all, about that of so many series with few samples.
  virtual size_t work() const { return size(); }
  // Use it instead of Next(): the same series in at most `max_parts` sets of about the same size,
  // which separate threads may use. Series that are stored together stay together. Precondition:
  // max_parts > 0.
  virtual std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) = 0;

  // Moves to the next series; false at the end or on an error.
  virtual bool Next() = 0;
  // The rank of the current series among all of the selection, sorted by labels.
  virtual size_t position() const = 0;
  // The labels of the current series; the reference lives until Next().
  virtual const LabelSet& labels() const = 0;
  // Appends the current series' samples inside the selection's range to `columns`, which the caller
  // owns, clears and reuses. Stale markers are included, but see Selection::needed.
  virtual absl::Status Read(SampleColumns& columns) = 0;
  // Check it once, after the loop.
  virtual absl::Status status() const = 0;
};

// What a reader needs of the samples in each bucket of five minutes, (k * 5 min, (k + 1) * 5 min].
// A store may leave out the others if SampleColumns::left_out counts them, and may leave out stale
// markers without counting them; it may also return more, up to all samples. Samples that it
// returns lie in their bucket, in order.
enum class SamplesNeeded : uint8_t {
  kAll,
  kCount,    // any; their times and values mean nothing
  kLowest,   // the first of the lowest values; its time may be another sample's
  kHighest,  // the first of the highest; likewise
  kFirst,
  kLast,
  kEnds,    // the first and the last, and those on both sides of every fall
  kNewest,  // only the newest sample in the range, stale or not, or at each of the selection's
            // steps the newest one until then; older ones may go uncounted
};
inline constexpr int64_t kThinningBucketMs = int64_t{5} * 60 * 1000;

struct Selection {
  std::span<const Matcher> matchers;  // all must match
  TimeRange range;
  QueryBudget* budget = nullptr;  // not owned; may be null
  SamplesNeeded needed = SamplesNeeded::kAll;
  StepTimes steps{};  // only with kNewest
};

// A consistent view of the store at the time of its creation: it includes every sample acknowledged
// before. Safe from many threads at once; must not outlive its Storage.
class Querier {
 public:
  virtual ~Querier() = default;
  // Series with at least one sample that may lie in the range, sorted by labels, without
  // duplicates.
  virtual absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const = 0;
  // Sorted and unique, over the series that match all of `selection.matchers` (none: all series).
  // The range is approximate: names of series without samples in it may be included.
  virtual absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const = 0;
  virtual absl::StatusOr<std::vector<std::string>> LabelValues(
      std::string_view name, const Selection& selection) const = 0;
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
