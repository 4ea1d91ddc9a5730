// RowCutter: cuts the samples of the series of one block in one window into chunk rows
// (storage/chunk/chunk_row_builder.h), so that a row is large enough for its series to share what they
// have in common, and small enough to be one value of the store and for a query to want most of it.
//
// Rows follow one another in time: every sample of a row is earlier than all of the next, unless so much
// lies in one millisecond that it takes several rows. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "storage/chunk/chunk_row_builder.h"

namespace lockstep {

// What a row holds of one series at most, so that reading an hour does not mean reading days: four hours
// at one sample in 15 s.
inline constexpr size_t kMaxRowSamplesPerSeries = 1024;

class RowCutter {
 public:
  // Keeps a copy. Preconditions: indices ascend, there is a sample, and the samples are as
  // ChunkRowBuilder wants them.
  void Add(uint32_t index_in_block, const SampleColumns& columns);

  // Calls `row` with the value of each row, and stops at its first error. The cutter is empty afterwards.
  absl::Status Finish(absl::FunctionRef<absl::Status(std::string_view value)> row);

 private:
  struct Series {
    uint32_t index_in_block = 0;
    SampleColumns columns;
  };
  struct Part {
    uint32_t index_in_block = 0;
    ColumnsView samples;
  };
  using RowFunction = absl::FunctionRef<absl::Status(std::string_view value)>;

  // Puts the samples of the parts into rows.
  absl::Status Cut(std::span<const Part> parts, RowFunction row);
  absl::Status CutInTime(std::span<const Part> parts, TimeRange range, size_t piece_count,
                         RowFunction row);
  std::string Build(std::span<const Part> parts);

  std::vector<Series> series_;
  size_t series_count_ = 0;  // of series_, in use
  ChunkRowBuilder builder_;
};

}  // namespace lockstep
