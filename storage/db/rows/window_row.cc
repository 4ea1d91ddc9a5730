#include "storage/db/rows/window_row.h"

#include <utility>

#include "base/coding.h"

namespace lockstep {
namespace {

constexpr uint8_t kWindowRowVersion = 1;
// The limit of series in a row's runs; the writer splits its rows far below it.
constexpr uint64_t kMaxSeries = uint64_t{1} << 24;
// The most series that the writer puts into one row: far below kv::kMaxValueBytes even if no two
// ids are neighbours.
constexpr size_t kMaxSeriesPerWindowRow = size_t{1} << 17;

struct Runs {
  std::string bytes;
  uint64_t count = 0;
};

Runs EncodeRuns(const std::vector<SeriesId>& series) {
  Runs runs;
  uint64_t after_last = 0;
  for (size_t i = 0; i < series.size();) {
    size_t end = i + 1;
    while (end < series.size() && series[end] == series[end - 1] + 1) ++end;
    PutVarint64(runs.bytes, series[i] - after_last);
    PutVarint64(runs.bytes, end - i);
    after_last = uint64_t{series[end - 1]} + 1;
    ++runs.count;
    i = end;
  }
  return runs;
}

bool DecodeRuns(std::string_view in, uint64_t count, std::vector<SeriesId>& series) {
  uint64_t next = 0;
  for (; count > 0; --count) {
    uint64_t gap = 0, length = 0;
    if (!GetVarint64(in, gap) || !GetVarint64(in, length)) return false;
    if (gap > UINT32_MAX || length == 0 || length > kMaxSeries - series.size()) return false;
    next += gap;
    if (next + length - 1 > UINT32_MAX) return false;
    for (; length > 0; --length) series.push_back(static_cast<SeriesId>(next++));
  }
  return in.empty();
}

}  // namespace

std::vector<WindowRow> SplitIntoWindowRows(const WindowTotals& totals,
                                           std::vector<SeriesId> series) {
  std::vector<WindowRow> rows;
  size_t begin = 0;
  for (; series.size() - begin > kMaxSeriesPerWindowRow; begin += kMaxSeriesPerWindowRow) {
    const auto from = series.begin() + static_cast<ptrdiff_t>(begin);
    rows.push_back({{totals.range, 0, 0}, {from, from + ptrdiff_t{kMaxSeriesPerWindowRow}}});
  }
  series.erase(series.begin(), series.begin() + static_cast<ptrdiff_t>(begin));
  rows.push_back({totals, std::move(series)});
  return rows;
}

std::string EncodeWindowRow(const WindowRow& row) {
  std::string value(1, static_cast<char>(kWindowRowVersion));
  PutVarintSigned64(value, row.totals.range.min_ms);
  PutVarint64(value, static_cast<uint64_t>(row.totals.range.max_ms) -
                         static_cast<uint64_t>(row.totals.range.min_ms));
  PutVarint64(value, row.totals.sample_count);
  PutVarint64(value, row.totals.byte_count);
  const Runs runs = EncodeRuns(row.series);
  PutVarint64(value, runs.count);
  return value + runs.bytes;
}

absl::StatusOr<WindowRow> DecodeWindowRow(std::string_view value) {
  WindowRow row;
  uint64_t span = 0, run_count = 0;
  const bool has_version =
      !value.empty() && static_cast<uint8_t>(value.front()) == kWindowRowVersion;
  if (has_version) value.remove_prefix(1);
  if (!has_version || !GetVarintSigned64(value, row.totals.range.min_ms) ||
      !GetVarint64(value, span) || !GetVarint64(value, row.totals.sample_count) ||
      !GetVarint64(value, row.totals.byte_count) || !GetVarint64(value, run_count) ||
      !DecodeRuns(value, run_count, row.series)) {
    return absl::DataLossError("a window row is malformed");
  }
  row.totals.range.max_ms =
      static_cast<int64_t>(static_cast<uint64_t>(row.totals.range.min_ms) + span);
  if (row.totals.range.max_ms < row.totals.range.min_ms) {
    return absl::DataLossError("a window row's times are malformed");
  }
  return row;
}

}  // namespace lockstep
