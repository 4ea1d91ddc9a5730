#include "storage/db/rows/decoded_block.h"

#include <bit>
#include <utility>

#include "storage/chunk/merge_columns.h"

namespace lockstep {

size_t DecodedBlock::wanted_count() const { return static_cast<size_t>(std::popcount(wanted_)); }

SampleColumns& DecodedBlock::SamplesOf(uint32_t index_in_block) {
  const uint64_t before = wanted_ & ((uint64_t{1} << index_in_block) - 1);
  return samples_[static_cast<size_t>(std::popcount(before))];
}

absl::Status DecodedBlock::Add(std::string_view value, TimeRange range, StepTimes steps,
                               ChunkRowReader& reader) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange row_range, ChunkRowRange(value));
  if (row_range.max_ms < range.min_ms || row_range.min_ms > range.max_ms) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(reader.Open(value));
  samples_.resize(wanted_count());
  for (uint64_t left = wanted_ & reader.series(); left != 0; left &= left - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(left));
    SampleColumns& columns = SamplesOf(index);
    LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange added, reader.RangeOf(index));
    if (columns.size() == 0 || TimeRangeOf(columns).max_ms < added.min_ms) {
      const bool is_first = columns.size() == 0;
      LOCKSTEP_RETURN_IF_ERROR(reader.Read(index, range, steps, columns));
      if (is_first) {
        columns.timestamps_ms.reserve(expected_rows_ * columns.timestamps_ms.size());
        columns.values.reserve(expected_rows_ * columns.values.size());
      }
      continue;
    }
    part_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(reader.Read(index, range, steps, part_));
    if (part_.size() > 0) Overwrite(part_, columns);
  }
  return absl::OkStatus();
}

void DecodedBlock::Overwrite(const SampleColumns& newer, SampleColumns& columns) {
  MoveFrom(columns, TimeRangeOf(newer).min_ms, tail_);
  MergeColumns(tail_, newer, merged_);
  AppendInRange(merged_, kAllTimes, columns);
}

void DecodedBlock::Read(uint32_t index_in_block, TimeRange range, SampleColumns& columns) {
  if (samples_.empty()) return;
  SampleColumns& samples = SamplesOf(index_in_block);
  if (samples.size() == 0) return;
  const TimeRange all = TimeRangeOf(samples);
  if (columns.size() == 0 && range.Contains(all.min_ms) && range.Contains(all.max_ms)) {
    columns.Clear();
    std::swap(samples, columns);
  } else {
    AppendInRange(samples, range, columns);
  }
}

}  // namespace lockstep
