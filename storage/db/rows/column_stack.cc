#include "storage/db/rows/column_stack.h"

#include <utility>

#include "storage/chunk/merge_columns.h"

namespace lockstep {

void ColumnStack::Add(const SampleColumns& newer) {
  if (newer.size() == 0) return;
  const TimeRange range = TimeRangeOf(newer);
  if (columns_.size() == 0 || TimeRangeOf(columns_).max_ms < range.min_ms) {
    AppendInRange(newer, range, columns_);
    return;
  }
  MergeColumns(columns_, newer, merged_);
  std::swap(columns_, merged_);
}

}  // namespace lockstep
