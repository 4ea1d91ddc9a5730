// WindowRow: the windows of one series of floats at neighbouring steps of a range query.
//
//   samples    0   1   2   3   4   5   6
//   window 0  [first   end)
//   window 1      [first   end)
//   window 2          [first       end)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::engine {

// Samples ascend by time and have no stale markers. Borrows everything.
struct WindowRow {
  std::span<const int64_t> timestamps_ms;
  std::span<const double> values;
  // Window i has the samples [firsts[i], ends[i]), those in (EndOf(i) - range_ms, EndOf(i)]. It may
  // be empty.
  std::span<const uint32_t> firsts;
  std::span<const uint32_t> ends;
  int64_t first_end_ms = 0;
  int64_t step_ms = 1;
  int64_t range_ms = 0;
  // How many samples were left out beside those before sample i, which a function needs only to
  // count; one element more than samples, or none.
  std::span<const uint64_t> left_out_before = {};

  size_t size() const { return firsts.size(); }
  int64_t EndOf(size_t i) const { return first_end_ms + static_cast<int64_t>(i) * step_ms; }
  std::span<const double> ValuesOf(size_t i) const {
    return values.subspan(firsts[i], ends[i] - firsts[i]);
  }
  // How many samples window i has, with those that were left out.
  uint64_t SampleCount(size_t i) const {
    const uint64_t count = ends[i] - firsts[i];
    if (left_out_before.empty()) return count;
    return count + left_out_before[ends[i]] - left_out_before[firsts[i]];
  }
  // Windows [begin, end).
  WindowRow Part(size_t begin, size_t end) const {
    WindowRow part = *this;
    part.firsts = firsts.subspan(begin, end - begin);
    part.ends = ends.subspan(begin, end - begin);
    part.first_end_ms = EndOf(begin);
    return part;
  }
};

}  // namespace lockstep::engine
