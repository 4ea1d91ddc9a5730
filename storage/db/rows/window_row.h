// A window row: the totals and the series of one run in one window. Kept in Space::kMeta, separate
// from the chunks, so that opening a shard and dropping a window need not read chunks. On disk:
// docs/formats/keys.md.
//
//   +------------+-----------------+---------------+---------+-------+-----------+-----------+
//   | version u8 | min_time zigzag | max - min     | samples | bytes | run count | runs      |
//   +------------+-----------------+---------------+---------+-------+-----------+-----------+
//
// Numbers are varints. A run of ids is the gap to the end of the previous run, then its length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/index/series_index.h"

namespace lockstep {

struct WindowTotals {
  TimeRange range{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  uint64_t sample_count = 0;
  uint64_t byte_count = 0;

  void Add(const WindowTotals& other) {
    range.min_ms = std::min(range.min_ms, other.range.min_ms);
    range.max_ms = std::max(range.max_ms, other.range.max_ms);
    sample_count += other.sample_count;
    byte_count += other.byte_count;
  }
};

struct WindowRow {
  WindowTotals totals;
  std::vector<SeriesId> series;  // ascending and unique
};

// The content of a run as rows of bounded size. Only the last row has counts: until it is written,
// the others only say which series may be there. `series` ascend and are unique. Returns at least
// one row.
std::vector<WindowRow> SplitIntoWindowRows(const WindowTotals& totals,
                                           std::vector<SeriesId> series);

std::string EncodeWindowRow(const WindowRow& row);
// kDataLoss on malformed input.
absl::StatusOr<WindowRow> DecodeWindowRow(std::string_view value);

}  // namespace lockstep
