// Head: the samples of one shard that are not in chunks yet, in memory, by series.
//
// A series keeps its samples in the order in which they arrived, and only ever grows, until the
// writer takes back what it could not commit. So "the first n arrivals" is what a reader saw that
// came when there were n, whatever was written since: late samples and overwrites included.
//
// Floats are kept as storage/db/arrival_codec.h says, in 64-byte slabs: an arrival touches the line of
// its series and one of its samples.
//
// Threads: counts() may be asked by many at once. Otherwise one writer appends; readers read under the shard's shared lock while the
// writer holds it exclusively to append. A head that is frozen is never changed again.
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
#include "base/mutex.h"
#include "base/paged_array.h"
#include "base/thread_annotations.h"
#include "model/sample.h"
#include "storage/db/arrival_codec.h"
#include "storage/db/slot_pages.h"
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

  // Makes room for a series. `latest_ms`: its latest sample outside this head, kNoTimeMs if none.
  // Precondition: it is not there yet.
  void Open(SeriesId id, int64_t latest_ms);

  // Appends a sample that is later than LatestMs(id), or says false. Precondition: the series is open.
  bool AppendNewest(SeriesId id, Sample sample, int64_t start_ms = 0);
  // The same for a sample without a start that is not the newest, if it is plain without a look at all samples that
  // none has its time: backfill in order of time, after AnchorLateRun() for its first. Precondition: the
  // series is open.
  bool AppendLate(SeriesId id, Sample sample);
  // Whether the sample is the one that arrived last, again. Precondition: the series is open.
  bool IsLast(SeriesId id, Sample sample) const;
  // False if surely no sample of the series has that time.
  bool MayHaveTime(SeriesId id, int64_t time_ms) const;
  // Looks at all samples of the series, so that AppendLate() will take later ones, up to the next.
  void AnchorLateRun(SeriesId id, int64_t time_ms);
  // Appends; the samples may be earlier than what is there. Preconditions: the series is open, the
  // samples ascend.
  void Append(SeriesId id, const SampleColumns& columns);
  // Fetches into the processor's cache what appending will need: first this, then, some work later,
  // PrefetchTail().
  void PrefetchSeries(SeriesId id) const;
  void PrefetchTail(SeriesId id) const;
  // Fetches what reading all of them will need, side by side: the samples of one series are a chain of
  // lines all over the memory, and one after the other most of the time would go into waiting. At most
  // kMaxPrefetched; samples before `from_ms` may be left out.
  static constexpr size_t kMaxPrefetched = 64;
  void PrefetchAll(std::span<const SeriesId> ids, int64_t from_ms) const;

  // Everything appended so far becomes part of counts().
  void Commit();
  // Takes back everything appended since the last Commit().
  void Rollback();
  // Of the committed samples. Shared with readers; a new object after each Commit() that is asked.
  std::shared_ptr<const ArrivalCounts> counts() const;

  // Replaces `columns` by the samples of the range: ascending, the last arrival of each time.
  // Of all arrivals, or of those that `counts` knows.
  void Read(SeriesId id, TimeRange range, SampleColumns& columns) const;
  void Read(SeriesId id, TimeRange range, const ArrivalCounts& counts,
            SampleColumns& columns) const;

  // Replaces `columns` by the newest sample that the series has, in this head or elsewhere, without a look
  // at any other; or says false: it is not known so easily, it came after `counts`, or it lies behind the
  // range. Nothing in `columns` if it lies before the range.
  bool ReadNewest(SeriesId id, TimeRange range, const ArrivalCounts& counts,
                  SampleColumns& columns) const;

  bool IsOpen(SeriesId id) const { return SlotOf(id) != kNoSlot; }
  // The latest time of the series in or outside this head; kNoTimeMs if there is none, or it is not
  // open here.
  int64_t LatestMs(SeriesId id) const;
  // Whether any sample of it arrived, committed or not.
  bool Contains(SeriesId id) const;
  // Whether committed samples, as `counts` knows them, may lie in the range.
  bool MayHold(SeriesId id, const ArrivalCounts& counts) const;

  // In the order of their first samples.
  size_t slot_count() const { return series_.size(); }
  SeriesId IdOfSlot(size_t slot) const { return series_[slot].id; }

  size_t sample_count() const { return sample_count_; }
  // What its samples and tables take, roughly.
  size_t byte_count() const { return byte_count_; }
  // Of all samples; meaningful if there are any.
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
  // What few series have.
  struct Rare {
    std::vector<HistogramArrival> histograms;
    std::vector<StartRun> starts;  // no two neighbours alike; before the first all are 0
  };
  class StartWalk;
  // A cache line of arrivals, and the number of the next.
  struct alignas(64) Slab {
    static constexpr size_t kBytes = 60;
    std::array<uint8_t, kBytes> bytes;
    uint32_t next;
  };
  // A place other than its first float from which a series can be read on.
  struct Mark {
    ArrivalState before;       // what the float there is told against
    uint32_t float_count = 0;  // before it
    uint32_t slab = 0;
    uint32_t offset = 0;  // in the slab
    uint32_t previous = kNoMark;
  };
  static constexpr uint32_t kNoMark = std::numeric_limits<uint32_t>::max();
  // So that marks are a tenth of what floats take: 40 bytes beside some 400.
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
  // Of a series whose samples do not ascend: the times in which the latest late ones arrived. None is
  // below `start_ms`, none between `last_ms` and `next_ms`; all three are of samples.
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
  // How many of each kind are among the first arrivals.
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
  // The latest place from which all floats can be read that are not before `from_ms`, if it is among
  // the first `float_count`; else the first float. Precondition: the series ascends.
  Mark MarkBefore(const Series& series, size_t float_count, int64_t from_ms) const;
  static Mark FirstOf(const Series& series);
  // All bytes of the series from there on, padded for DecodeArrival(), until the thread's next call.
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
