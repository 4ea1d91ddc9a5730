#include "storage/db/check/rollup_check.h"

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/rows/rollup_rows.h"
#include "storage/db/rows/stored_block.h"
#include "storage/db/rows/window.h"
#include "storage/rollup/rollup_row_reader.h"

namespace lockstep {
namespace {

bool AreSame(const SampleColumns& a, const SampleColumns& b) {
  return a.timestamps_ms == b.timestamps_ms && a.left_out == b.left_out &&
         SameBits(a.values, b.values);
}

absl::Status Compare(RollupRowReader& row, RollupRowReader& expected, uint32_t index,
                     SamplesNeeded needed) {
  const bool answers = expected.Answers(index, needed);
  if (row.Answers(index, needed) != answers) {
    return absl::DataLossError(
        absl::StrFormat("the rollup and its chunks disagree on whether series %d is there", index));
  }
  if (!answers) return absl::OkStatus();
  SampleColumns said, expected_columns;
  LOCKSTEP_RETURN_IF_ERROR(row.Read(index, needed, kAllTimes, said));
  LOCKSTEP_RETURN_IF_ERROR(expected.Read(index, needed, kAllTimes, expected_columns));
  if (AreSame(said, expected_columns)) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrFormat("the rollup of series %d does not match its chunks", index));
}

absl::StatusOr<std::optional<std::string>> RollUpChunks(const kv::Store& kv,
                                                        const kv::RollupKey& key) {
  kv::Cursor rows =
      kv.NewCursor(kv::Space::kCold, kv::ChunkKeysOf(key.window, key.family, key.block));
  StoredBlock block;
  for (; rows.Valid(); rows.Next()) LOCKSTEP_RETURN_IF_ERROR(block.Add(rows.value(), kAllTimes));
  LOCKSTEP_RETURN_IF_ERROR(rows.status());
  BlockRollup rollup({key.window, key.family, key.block, 0, 0});
  SampleColumns columns;
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    columns.Clear();
    LOCKSTEP_RETURN_IF_ERROR(block.Read(index, kAllTimes, columns));
    if (columns.size() > 0) rollup.Add(index, columns);
  }
  return rollup.Finish();
}

}  // namespace

absl::Status CheckRollup(const kv::Store& kv, const kv::RollupKey& key, std::string_view value) {
  const int64_t begin_ms = RangeOfWindow(key.window).min_ms;
  RollupRowReader row, expected;
  LOCKSTEP_RETURN_IF_ERROR(row.Open(value, begin_ms));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<std::string> rolled_up, RollUpChunks(kv, key));
  if (!rolled_up.has_value()) return absl::DataLossError("its chunks have nothing to roll up");
  LOCKSTEP_RETURN_IF_ERROR(expected.Open(*rolled_up, begin_ms));
  for (uint32_t index = 0; index < kSeriesPerBlock; ++index) {
    for (const SamplesNeeded needed :
         {SamplesNeeded::kCount, SamplesNeeded::kLowest, SamplesNeeded::kHighest,
          SamplesNeeded::kFirst, SamplesNeeded::kLast, SamplesNeeded::kEnds}) {
      LOCKSTEP_RETURN_IF_ERROR(Compare(row, expected, index, needed));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
