// Head: the samples of one shard that are not in chunks yet, in memory, by series.
//
// A series keeps its samples in the order in which they arrived, and only ever grows, until the
// writer takes back what it could not commit. So "the first n arrivals" is what a reader saw that
// came when there were n, whatever was written since: late samples and overwrites included.
//
// Threads: counts() may be asked by many at once. Otherwise one writer appends; readers read under the shard's shared lock while the
// writer holds it exclusively to append. A head that is frozen is never changed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "model/sample.h"
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

  // Appends; the samples may be earlier than what is there. Precondition: they ascend.
  void Append(SeriesId id, Sample sample);
  void Append(SeriesId id, const SampleColumns& columns);

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

  // The latest time that arrived; kNoTimeMs if none did.
  int64_t MaxTimeOf(SeriesId id) const;
  bool Contains(SeriesId id) const { return SlotOf(id) != kNoSlot; }
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
  static constexpr uint32_t kNoSlot = std::numeric_limits<uint32_t>::max();

  struct HistogramArrival {
    HistogramSample sample;
    uint32_t floats_before = 0;
  };
  struct Series {
    SeriesId id = 0;
    bool ascending = true;  // every arrival is later than all before it
    bool touched = false;   // has an entry in undo_
    int64_t max_time_ms = kNoTimeMs;
    std::vector<Sample> floats;
    std::unique_ptr<std::vector<HistogramArrival>> histograms;

    size_t arrival_count() const {
      return floats.size() + (histograms == nullptr ? 0 : histograms->size());
    }
  };
  struct Undo {
    uint32_t slot = 0;
    uint32_t float_count = 0;
    uint32_t histogram_count = 0;
    bool ascending = true;
    int64_t max_time_ms = kNoTimeMs;
  };
  // How many of each kind are among the first arrivals.
  struct Cut {
    size_t floats = 0;
    size_t histograms = 0;
  };

  uint32_t SlotOf(SeriesId id) const { return id < slots_.size() ? slots_[id] : kNoSlot; }
  Series& Touch(SeriesId id);
  void Note(Series& series, int64_t timestamp_ms);
  void AppendHistogram(Series& series, const HistogramSample& sample);
  static Cut CutAt(const Series& series, size_t arrival_count);
  static void ReadAscending(const Series& series, Cut cut, TimeRange range, SampleColumns& columns);
  static void ReadArrivals(const Series& series, Cut cut, TimeRange range, SampleColumns& columns);
  static void ReadFirst(const Series& series, size_t arrival_count, TimeRange range,
                        SampleColumns& columns);

  std::vector<uint32_t> slots_;  // by series id
  std::vector<Series> series_;   // by slot
  std::vector<Undo> undo_;
  size_t sample_count_ = 0;
  size_t byte_count_ = 0;
  TimeRange range_{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  ArrivalCounts committed_;
  mutable Mutex shared_mutex_;
  mutable std::shared_ptr<const ArrivalCounts> shared_counts_ LOCKSTEP_GUARDED_BY(shared_mutex_);
};

}  // namespace lockstep
