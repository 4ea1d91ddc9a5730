// Fuzzes the reader of chunk rows: a row that it accepts must come back from the builder with the
// same samples. Each input is read as a row, and also as plain samples that go through builder and
// reader.
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "base/check.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/chunk_row_reader.h"
#include "storage/chunk/merge_columns.h"

namespace lockstep {
namespace {

using Row = std::map<uint32_t, SampleColumns>;

bool Same(const SampleColumns& a, const SampleColumns& b) {
  SampleColumns merged;
  const MergeCounts counts = MergeColumns(a, b, merged);
  return a.size() == b.size() && counts.duplicate_count == a.size();
}

// Returns false if a series is malformed.
bool ReadAll(std::string_view value, Row& row) {
  ChunkRowReader reader;
  if (!reader.Open(value).ok()) return false;
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    if (!reader.Contains(index)) continue;
    if (!reader.Read(index, kAllTimes, row[index]).ok()) return false;
    const absl::StatusOr<TimeRange> range = reader.RangeOf(index);
    LOCKSTEP_CHECK(range.ok());
    LOCKSTEP_CHECK(range->min_ms == TimeRangeOf(row[index]).min_ms);
    LOCKSTEP_CHECK(range->max_ms == TimeRangeOf(row[index]).max_ms);
  }
  return true;
}

void CheckRoundTrip(const Row& row) {
  ChunkRowBuilder builder;
  size_t samples_left = kMaxRowSamples;
  for (const auto& [index, columns] : row) {
    if (columns.size() > samples_left) return;
    samples_left -= columns.size();
    builder.Add(index, columns);
  }
  const std::string value = builder.Finish();
  Row again;
  LOCKSTEP_CHECK(ReadAll(value, again));
  LOCKSTEP_CHECK(again.size() == row.size());
  for (const auto& [index, columns] : row) LOCKSTEP_CHECK(Same(again.at(index), columns));
}

void CheckAsRow(std::string_view in) {
  Row row;
  if (ReadAll(in, row)) CheckRoundTrip(row);
}

// Ten bytes make a sample: its series, its distance in time, and its value.
void CheckAsSamples(std::string_view in) {
  Row row;
  int64_t timestamp_ms = 0;
  for (; in.size() >= 10; in.remove_prefix(10)) {
    uint16_t later_ms;
    uint64_t bits;
    std::memcpy(&later_ms, in.data(), 2);
    std::memcpy(&bits, in.data() + 2, 8);
    timestamp_ms += 1 + later_ms / 4;
    row[later_ms % 4].Append(timestamp_ms, std::bit_cast<double>(bits));
  }
  if (!row.empty()) CheckRoundTrip(row);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  lockstep::CheckAsRow(in);
  lockstep::CheckAsSamples(in);
  return 0;
}
