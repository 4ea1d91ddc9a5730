// Fuzzes the reader of rollup rows: what it accepts must be a few samples per bucket, in order of
// time, each in its window.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/check.h"
#include "storage/rollup/rollup_row_builder.h"
#include "storage/rollup/rollup_row_reader.h"

namespace lockstep {
namespace {

constexpr TimeRange kWindow = {0, kRollupWindowMs};

void Check(const SampleColumns& columns) {
  LOCKSTEP_CHECK(columns.values.size() <= 2 * kRollupBuckets);
  LOCKSTEP_CHECK(columns.timestamps_ms.size() == columns.values.size());
  LOCKSTEP_CHECK(columns.left_out.size() == columns.values.size());
  LOCKSTEP_CHECK(std::ranges::adjacent_find(columns.timestamps_ms, std::ranges::greater_equal()) ==
                 columns.timestamps_ms.end());
  if (columns.values.empty()) return;
  LOCKSTEP_CHECK(columns.timestamps_ms.front() > -kThinningBucketMs);
  LOCKSTEP_CHECK(columns.timestamps_ms.back() <= kRollupWindowMs);
}

void CheckAsRow(std::string_view in) {
  RollupRowReader reader;
  if (!reader.Open(in, kWindow.min_ms).ok()) return;
  for (uint32_t index = 0; index < kMaxRollupSeries; ++index) {
    for (const SamplesNeeded needed : {SamplesNeeded::kCount, SamplesNeeded::kLowest,
                                       SamplesNeeded::kLast, SamplesNeeded::kEnds}) {
      SampleColumns columns;
      if (!reader.Answers(index, needed)) continue;
      if (reader.Read(index, needed, kWindow, columns).ok()) Check(columns);
    }
  }
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::CheckAsRow({reinterpret_cast<const char*>(data), size});
  return 0;
}
