// DayCheck: checks everything that one shard holds of one day: decodes every chunk, and verifies
// that the window rows cover the chunks. Window rows may cover more, because a merge does not count
// what it dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "storage/chunk/chunk_row_reader.h"
#include "storage/db/check/check_report.h"
#include "storage/db/check/dictionary_check.h"
#include "storage/db/rows/window_row.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

class DayCheck {
 public:
  using Damage = std::function<void(const std::string& where, const std::string& what)>;

  // `places` must outlive it. Rows of generations beyond `mark` are decoded but not counted.
  DayCheck(uint64_t mark, const PlacesOfSeries& places, Damage damage)
      : mark_(mark), places_(places), damage_(std::move(damage)) {}

  // One window after another: add its rows in any order, then call EndWindow().
  void AddChunkRow(kv::Tier tier, const kv::ChunkKey& key, std::string_view value);
  void AddWindowRow(const kv::WindowKey& key, std::string_view value);
  void EndWindow(int32_t window);

  // Over all windows.
  CheckedDay Finish();
  uint64_t unfinished_row_count() const { return unfinished_row_count_; }

 private:
  struct Contents {
    TimeRange range{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    std::vector<SeriesId> ids;
  };

  absl::Status ReadRow(const kv::ChunkKey& key, std::string_view value);
  // Reads all samples of one series in the row that `row_` has open, and adds their times to
  // `range`.
  absl::Status ReadSeries(const kv::ChunkKey& key, uint32_t index_in_block, TimeRange& range);

  const uint64_t mark_;
  const PlacesOfSeries& places_;
  const Damage damage_;
  CheckedDay day_;
  uint64_t unfinished_row_count_ = 0;
  std::vector<SeriesId> ids_;  // over all windows that have ended
  // The current window:
  Contents stored_;  // what its chunks have
  Contents told_;    // what its window rows say
  ChunkRowReader row_;
  SampleColumns columns_;
};

// Days since 1970-01-01 UTC.
int32_t DayOf(int64_t time_ms);
// "2026-01-02"
std::string DayName(int32_t day);

}  // namespace lockstep
