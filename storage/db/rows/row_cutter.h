// RowCutter: cuts the samples of the series of one block in one window into chunk rows
// (storage/chunk/chunk_row_builder.h). A row is large enough for its series to share what they have
// in common, yet small enough to fit in one value of the store and for a query to need most of it.
//
// Rows follow one another in time: every sample of a row is earlier than all samples of the next,
// unless one millisecond has so many samples that they take several rows. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "model/sample.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/db/rows/batch_writer.h"
#include "storage/db/rows/window_row.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

// The most samples of one series in a row, so that reading an hour does not mean reading days: four
// hours at one sample every 15 s.
inline constexpr size_t kMaxRowSamplesPerSeries = 1024;

class RowCutter {
 public:
  // Keeps a copy. Preconditions: indices ascend, there is a sample, and the samples follow the
  // rules of ChunkRowBuilder.
  void Add(uint32_t index_in_block, const SampleColumns& columns);

  // Calls `row` with the value of each row, and stops at its first error. The cutter is empty
  // afterwards.
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
  size_t series_count_ = 0;  // number of entries of series_ in use
  ChunkRowBuilder builder_;
};

// Writes samples of the 64 series of one block in one window as chunk rows of one generation. Not
// thread-safe; must not outlive its BatchWriter.
class RowWriter {
 public:
  // `first` is the key of the first row; the following rows have the part numbers after it.
  RowWriter(BatchWriter& batch, kv::Space space, const kv::ChunkKey& first)
      : batch_(batch), space_(space), next_(first) {}

  // Keeps a copy. Preconditions: indices ascend, there is a sample, and all samples lie in the
  // window.
  void Add(uint32_t index_in_block, const SampleColumns& columns);
  // Writes the rows. Call it once, after everything was added.
  absl::Status Finish();

  // The totals of what was added and, after Finish(), of all rows.
  const WindowTotals& totals() const { return totals_; }
  uint64_t chunk_count() const { return chunk_count_; }

 private:
  BatchWriter& batch_;
  const kv::Space space_;
  kv::ChunkKey next_;
  RowCutter rows_;
  WindowTotals totals_;
  uint64_t chunk_count_ = 0;
};

}  // namespace lockstep
