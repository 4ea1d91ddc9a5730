// Reads chunk rows (chunk_row_builder.h): which series they have, in which time range, and the
// samples of one series without those of the others. Bytes come from disk and may be damaged: then
// reading fails with kDataLoss or returns other samples than were written, but never more than
// kMaxRowSamples floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/chunk/integers/integer_columns.h"
#include "storage/chunk/value_columns.h"

namespace lockstep {

// The times of the first and the last sample of a row, from its first bytes.
absl::StatusOr<TimeRange> ChunkRowRange(std::string_view value);

// Not thread-safe: the reader keeps columns of times, because many series share them.
class ChunkRowReader {
 public:
  // `value` must outlive the reader. Can be called again for another row.
  absl::Status Open(std::string_view value);

  TimeRange range() const { return range_; }
  // Bit i: series i of the block has samples.
  uint64_t series() const { return float_series_ | histogram_series_; }
  bool Contains(uint32_t index_in_block) const { return (series() >> index_in_block & 1) != 0; }

  // Precondition of both: Contains(index_in_block).
  //
  // The first and the last time of the series.
  absl::StatusOr<TimeRange> RangeOf(uint32_t index_in_block);
  // Appends the samples of the series in `range`, which must be later than all that `columns`
  // holds. On failure (kDataLoss) `columns` is unchanged.
  absl::Status Read(uint32_t index_in_block, TimeRange range, SampleColumns& columns) {
    return Read(index_in_block, range, /*steps=*/{}, columns);
  }
  // The same, but of the floats between two steps only the newest is needed.
  absl::Status Read(uint32_t index_in_block, TimeRange range, StepTimes steps,
                    SampleColumns& columns);

 private:
  // The floats of a column of times that are needed.
  struct Picked {
    bool is_known = false;
    TimeRange range;
    StepTimes steps;
    std::vector<uint32_t> indexes;
  };

  [[nodiscard]] bool GetHeader(std::string_view& in);
  [[nodiscard]] bool GetFloats(std::string_view& in);
  [[nodiscard]] bool GetTimes(std::string_view& in);
  [[nodiscard]] bool GetHistograms(std::string_view& in);
  [[nodiscard]] bool GetStarts(std::string_view& in);
  // Null if they are malformed.
  const std::vector<int64_t>* Times(uint32_t index_in_block);
  const std::vector<uint32_t>& Pick(size_t column, TimeRange range, StepTimes steps);
  [[nodiscard]] bool ReadFloats(uint32_t index_in_block, TimeRange range, StepTimes steps,
                                SampleColumns& columns);
  [[nodiscard]] bool ReadPicked(uint32_t index_in_block, const std::vector<uint32_t>& indexes,
                                SampleColumns& columns);
  // Reads the start times of the floats from `begin` on, one for each float that `columns` has
  // after the first `floats_before`.
  [[nodiscard]] bool ReadStarts(uint32_t index_in_block, size_t begin, size_t floats_before,
                                SampleColumns& columns);
  absl::Status ReadHistograms(uint32_t index_in_block, TimeRange range, SampleColumns& columns);
  std::string_view HistogramBytes(uint32_t index_in_block) const;

  TimeRange range_;
  uint64_t float_series_ = 0;
  uint64_t histogram_series_ = 0;
  std::vector<uint32_t> time_counts_;  // by time column
  IntegerColumnsReader time_columns_;
  std::vector<std::vector<int64_t>> times_;  // by time column; empty: not read yet
  std::vector<Picked> picked_;               // by time column
  std::vector<uint32_t> counts_;             // scratch, like the next two
  std::vector<int64_t> integers_;
  std::vector<double> values_read_;
  std::vector<int64_t> column_of_series_;  // by rank among series with floats
  ValueColumnsReader values_;
  std::vector<size_t> histogram_ends_;  // by rank among series with histograms
  std::string_view histograms_;
  bool has_starts_ = false;
  uint64_t start_series_ = 0;
  IntegerColumnsReader starts_;  // by rank among series with known start times
};

}  // namespace lockstep
