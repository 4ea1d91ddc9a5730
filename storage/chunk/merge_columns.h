// Putting samples of one series together: later writes win, and what was there twice is counted.
//
// "Later" is about writing, not about time: at one time the value that was written last stays, be
// it a float or a histogram. All functions are pure and safe from any thread.
#pragma once

#include <cstdint>
#include <span>

#include "model/sample.h"
#include "storage/chunk/columns_view.h"

namespace lockstep {

struct MergeCounts {
  uint64_t duplicate_count = 0;    // same time, same bits, same start: a retry
  uint64_t overwritten_count = 0;  // same time, other value: the older one is gone

  MergeCounts& operator+=(const MergeCounts& other) {
    duplicate_count += other.duplicate_count;
    overwritten_count += other.overwritten_count;
    return *this;
  }
  friend bool operator==(const MergeCounts&, const MergeCounts&) = default;
};

// All fields equal, doubles compared by their bits.
bool SameBits(double a, double b);
bool SameBits(std::span<const double> a, std::span<const double> b);
bool SameBits(const Histogram& a, const Histogram& b);
// Whatever their times.
bool SameSamples(const HistogramSample& a, const HistogramSample& b);

// Replaces `out` by `older` and `newer` together, ascending. `out` must be neither of them.
MergeCounts MergeColumns(const SampleColumns& older, const SampleColumns& newer,
                         SampleColumns& out);

// Replaces `out` by the samples of one request, which may come in any order and name a time twice:
// of equal times the one further back in its list wins, and a histogram wins over a float. Start
// timestamps are those of `samples`: as many, or none.
MergeCounts SortIntoColumns(std::span<const Sample> samples,
                            std::span<const int64_t> start_timestamps_ms,
                            std::span<const HistogramSample> histograms, SampleColumns& out);

// Appends the samples of `from` that lie in `range` to `to`. Precondition: they are later than all
// that `to` holds.
void AppendInRange(const SampleColumns& from, TimeRange range, SampleColumns& to);

// Appends start timestamps, of floats that are appended next.
void AppendStarts(std::span<const int64_t> start_timestamps_ms, SampleColumns& to);

// First and last time over both kinds. Precondition: there is a sample.
TimeRange TimeRangeOf(const ColumnsView& samples);

}  // namespace lockstep
