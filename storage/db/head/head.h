// Head: the samples of one shard that are not in chunks yet, in memory, by series.
//
// A series keeps its samples in the order in which they arrived. It only grows, until the writer
// rolls back what it could not commit. So a reader that saw n arrivals still finds exactly those as
// "the first n arrivals", whatever was written since, including late samples and overwrites.
//
// Floats are stored as in storage/db/head/arrival_codec.h, in 64-byte slabs: an arrival touches the
// cache line of its series and one of its samples.
//
// Threads: counts() is safe from many threads at once. Otherwise one writer appends; readers hold
// the shard's shared lock, and the writer holds it exclusively to append. A frozen head never
// changes again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/memory/paged_array.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "model/sample.h"
#include "storage/db/head/arrival_codec.h"
#include "storage/db/head/slot_pages.h"
#include "storage/index/series_index.h"

namespace lockstep {

inline constexpr int64_t kNoTimeMs = std::numeric_limits<int64_t>::min();

// Arrivals per series, by the head's slot.
using ArrivalCounts = std::vector<uint32_t>;

class Head {
 public:
  Head() = default;
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  // Makes room for a series. `latest_ms` is the time of its latest sample outside this head,
  // kNoTimeMs if there is none. Precondition: the series is not open.
  void Open(SeriesId id, int64_t latest_ms);

  // Appends a sample that is later than LatestMs(id); returns false otherwise. Precondition: the
  // series is open.
  bool AppendNewest(SeriesId id, Sample sample, int64_t start_ms = 0);
  // Appends a sample without a start that is not the newest, if we can prove, without scanning,
  // that no sample has its time; returns false otherwise. This serves backfill in order of time,
  // after AnchorLateRun() for its first sample. Precondition: the series is open.
  bool AppendLate(SeriesId id, Sample sample);
  // Whether the sample repeats the last arrival. Precondition: the series is open.
  bool IsLast(SeriesId id, Sample sample) const;
  // False only if no sample of the series has that time.
  bool MayHaveTime(SeriesId id, int64_t time_ms) const;
  // Scans all samples of the series, so that AppendLate() accepts later times up to the next
  // sample.
  void AnchorLateRun(SeriesId id, int64_t time_ms);
  // Appends; the samples may be earlier than those already there. Preconditions: the series is
  // open, the samples ascend.
  void Append(SeriesId id, const SampleColumns& columns);
  // Prefetches into the processor's cache what appending will need: first call this, then, some
  // work later, PrefetchTail().
  void PrefetchSeries(SeriesId id) const;
  void PrefetchTail(SeriesId id) const;
  // Prefetches what reading all of these series will need, in parallel: the samples of one series
  // are a chain of cache lines all over the memory, and fetching one after another would mostly be
  // waiting. At most kMaxPrefetched series; samples before `from_ms` may be left out.
  static constexpr size_t kMaxPrefetched = 64;
  void PrefetchAll(std::span<const SeriesId> ids, int64_t from_ms) const;

  // Makes everything appended so far part of counts().
  void Commit();
  // Rolls back everything appended since the last Commit().
  void Rollback();
  // The counts of committed samples, shared with readers. The first call after a Commit() makes a
  // new object.
  std::shared_ptr<const ArrivalCounts> counts() const;

  // Replaces `columns` with the samples in the range, ascending, keeping the last arrival of each
  // time. The overload without `counts` reads all arrivals, the other one those counted in
  // `counts`.
  void Read(SeriesId id, TimeRange range, SampleColumns& columns) const;
  void Read(SeriesId id, TimeRange range, const ArrivalCounts& counts,
            SampleColumns& columns) const;

  // Replaces `columns` with the newest sample that the series has, in this head or elsewhere,
  // without looking at any other sample. Leaves `columns` empty if that sample lies before the
  // range. Returns false if the sample cannot be determined this way, arrived after `counts`, or
  // lies after the range.
  bool ReadNewest(SeriesId id, TimeRange range, const ArrivalCounts& counts,
                  SampleColumns& columns) const;

  bool IsOpen(SeriesId id) const { return SlotOf(id) != kNoSlot; }
  // The latest time of the series in or outside this head; kNoTimeMs if there is none, or if the
  // series is not open here.
  int64_t LatestMs(SeriesId id) const;
  // Whether any of its samples arrived, committed or not.
  bool Contains(SeriesId id) const;
  // Whether samples counted in `counts` may lie in the range.
  bool MayHold(SeriesId id, const ArrivalCounts& counts) const;

  // In the order of their first samples.
  size_t slot_count() const { return series_.size(); }
  SeriesId IdOfSlot(size_t slot) const { return series_[slot].id; }

  size_t sample_count() const { return sample_count_; }
  // The approximate memory of its samples and tables.
  size_t byte_count() const { return byte_count_; }
  // The range of all samples; meaningful only if there are any.
  TimeRange range() const { return range_; }

 private:
  static constexpr uint32_t kNoSlot = SlotPages::kNoSlot;

  struct HistogramArrival {
    HistogramSample sample;
    uint32_t floats_before = 0;
  };
  // The floats from this one on, up to the next run, have this start timestamp.
  struct StartRun {
    uint32_t first_float = 0;
    int64_t start_ms = 0;
  };
  // Fields that few series need.
  struct Rare {
    std::vector<HistogramArrival> histograms;
    std::vector<StartRun> starts;  // neighbours differ; before the first run all are 0
  };
  class StartWalk;
  // A cache line of arrivals, and the number of the next slab.
  struct alignas(64) Slab {
    static constexpr size_t kBytes = 60;
    std::array<uint8_t, kBytes> bytes;
    uint32_t next;
  };
  // A position other than the first float at which reading a series can start.
  struct Mark {
    ArrivalState before;       // what the float there is encoded against
    uint32_t float_count = 0;  // number of floats before it
    uint32_t slab = 0;
    uint32_t offset = 0;  // offset in the slab
    uint32_t previous = kNoMark;
  };
  static constexpr uint32_t kNoMark = std::numeric_limits<uint32_t>::max();
  // With this spacing, marks take a tenth of the memory of floats: 40 bytes for about 400.
  static constexpr uint32_t kFloatsPerMark = 96;
  struct alignas(64) Series {
    ArrivalState last;
    int64_t latest_ms = kNoTimeMs;
    SeriesId id = 0;
    uint32_t float_count = 0;
    uint32_t first_slab = 0;
    uint32_t last_slab = 0;
    uint32_t last_mark = kNoMark;
    uint8_t bytes_in_last = 0;
    bool ascending = true;  // every arrival is later than all before it
    bool touched = false;   // has an entry in undo_
    bool has_late_run = false;
    std::unique_ptr<Rare> rare;

    size_t histogram_count() const { return rare == nullptr ? 0 : rare->histograms.size(); }
    size_t arrival_count() const { return float_count + histogram_count(); }
  };
  // For a series whose samples do not ascend: the run of the latest late arrivals. No sample is
  // earlier than `start_ms`, none lies between `last_ms` and `next_ms`, and all three are times of
  // samples.
  struct LateRun {
    int64_t start_ms = 0;
    int64_t last_ms = 0;
    int64_t next_ms = 0;

    bool IsFree(int64_t time_ms) const {
      return time_ms < start_ms || (last_ms < time_ms && time_ms < next_ms);
    }
  };
  struct Undo {
    uint32_t slot = 0;
    uint32_t float_count = 0;
    int64_t latest_ms = kNoTimeMs;
    bool ascending = true;
  };
  // The number of samples of each kind among the first arrivals.
  struct Cut {
    size_t floats = 0;
    size_t histograms = 0;
  };

  struct Walk;

  uint32_t SlotOf(SeriesId id) const { return slots_.Get(id); }
  void Touch(Series& series, uint32_t slot);
  void AppendFloat(Series& series, Sample sample, int64_t start_ms = 0);
  Rare& RareOf(Series& series);
  void NoteStart(Series& series, int64_t start_ms);
  void AppendHistogram(Series& series, const HistogramSample& sample);
  void PutBytes(Series& series, const uint8_t* bytes, size_t count);
  uint32_t NewSlab();
  void Note(Series& series, int64_t timestamp_ms);
  std::optional<LateRun> LateRunOf(uint32_t slot) const;
  void SetLateRun(uint32_t slot, LateRun run);
  void NoteBesideLateRun(SeriesId id, int64_t time_ms);
  void TakeBack(Series& series, const Undo& undo);
  static Cut CutAt(const Series& series, size_t arrival_count);
  void ReadFirst(const Series& series, size_t arrival_count, TimeRange range,
                 SampleColumns& columns) const;
  void PrefetchMarks(std::span<Walk> walks, int64_t from_ms) const;
  void PrefetchSlabs(std::span<Walk> walks) const;
  void PutMark(Series& series);
  // The latest position from which all floats at or after `from_ms` can be read, if it is among the
  // first `float_count` floats; otherwise the first float. Precondition: the series ascends.
  Mark MarkBefore(const Series& series, size_t float_count, int64_t from_ms) const;
  static Mark FirstOf(const Series& series);
  // All bytes of the series from that position on, padded for DecodeArrival(). They are valid until
  // this thread's next call.
  const uint8_t* Bytes(const Series& series, const Mark& from) const;
  const uint8_t* Bytes(const Series& series) const { return Bytes(series, FirstOf(series)); }
  void ReadAscending(const Series& series, Cut cut, TimeRange range, SampleColumns& columns) const;
  void ReadArrivals(const Series& series, Cut cut, TimeRange range, SampleColumns& columns) const;

  SlotPages slots_;
  PagedArray<Series, 12> series_;  // by slot
  PagedArray<Slab, 14> slabs_;
  PagedArray<Mark, 12> marks_;
  absl::flat_hash_map<uint32_t, LateRun> late_runs_;  // by slot
  std::vector<Undo> undo_;
  size_t sample_count_ = 0;
  size_t byte_count_ = 0;
  TimeRange range_{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  ArrivalCounts committed_;
  mutable Mutex shared_mutex_;
  mutable std::shared_ptr<const ArrivalCounts> shared_counts_ LOCKSTEP_GUARDED_BY(shared_mutex_);
};

}  // namespace lockstep
