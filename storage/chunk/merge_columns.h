// Merges samples of one series: later writes win, and repeated samples are counted.
//
// "Later" refers to the order of writes, not to sample times: for each time the value written last
// stays, whether it is a float or a histogram. All functions are pure and safe from any thread.
#pragma once

#include <cstdint>
#include <span>

#include "model/sample.h"
#include "storage/chunk/columns_view.h"

namespace lockstep {

struct MergeCounts {
  uint64_t duplicate_count = 0;    // same time, bits and start: a retry
  uint64_t overwritten_count = 0;  // same time, other value: it replaced the older one

  MergeCounts& operator+=(const MergeCounts& other) {
    duplicate_count += other.duplicate_count;
    overwritten_count += other.overwritten_count;
    return *this;
  }
  friend bool operator==(const MergeCounts&, const MergeCounts&) = default;
};

// Whether all fields are equal; doubles are compared by their bits.
bool SameBits(double a, double b);
bool SameBits(std::span<const double> a, std::span<const double> b);
bool SameBits(const Histogram& a, const Histogram& b);
// Ignores their times.
bool SameSamples(const HistogramSample& a, const HistogramSample& b);

// Replaces `out` with `older` and `newer` merged, ascending. `out` must be neither of them.
MergeCounts MergeColumns(const SampleColumns& older, const SampleColumns& newer,
                         SampleColumns& out);

// Replaces `out` with the samples of one request, which may come in any order and repeat a time: of
// samples with equal times the one further back in its list wins, and a histogram wins over a
// float. Start timestamps belong to `samples`: one for each, or none.
MergeCounts SortIntoColumns(std::span<const Sample> samples,
                            std::span<const int64_t> start_timestamps_ms,
                            std::span<const HistogramSample> histograms, SampleColumns& out);

// Appends the samples of `from` in `range` to `to`. Precondition: they are later than all that `to`
// holds.
void AppendInRange(const SampleColumns& from, TimeRange range, SampleColumns& to);

// Moves the samples of `from` at `begin_ms` and later to `to`, whose content they replace.
void MoveFrom(SampleColumns& from, int64_t begin_ms, SampleColumns& to);

// Appends the start timestamps of the floats that are appended next.
void AppendStarts(std::span<const int64_t> start_timestamps_ms, SampleColumns& to);

// The first and the last time over both kinds. Precondition: there is a sample.
TimeRange TimeRangeOf(const ColumnsView& samples);

}  // namespace lockstep
