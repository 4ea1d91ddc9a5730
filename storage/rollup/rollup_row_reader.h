// Reads rollup rows (rollup_row_builder.h): for one series, the few samples that answer a question
// about its buckets. Bytes come from disk and may be damaged: then reading fails with kDataLoss or
// returns other samples than were written, but never more than two per bucket.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/chunk/integers/integer_columns.h"
#include "storage/chunk/value_columns.h"
#include "storage/query.h"
#include "storage/rollup/series_rollup.h"

namespace lockstep {

// Not thread-safe: the reader keeps columns of times, because many series share them.
class RollupRowReader {
 public:
  // `value`, the row of the window that begins at `begin_ms`, must outlive the reader.
  absl::Status Open(std::string_view value, int64_t begin_ms);

  // Whether the row has what is needed of the series; a series known to have no samples counts.
  bool Answers(uint32_t index_in_block, SamplesNeeded needed) const;
  // Appends what is needed of the buckets in `range`, as SeriesSet::Read() does; it must be later
  // than all that `columns` holds. Preconditions: Answers(index_in_block, needed), and the range
  // begins and ends at borders of buckets or outside the window. On failure (kDataLoss) `columns`
  // is unchanged.
  absl::Status Read(uint32_t index_in_block, SamplesNeeded needed, TimeRange range,
                    SampleColumns& columns);

 private:
  struct Times {
    uint64_t buckets = 0;
    uint32_t count = 0;  // number of buckets
    bool is_read = false;
    BucketTimes read;
  };
  // Buckets as a half-open range of indices into columns.
  struct Slice {
    size_t begin = 0;
    size_t end = 0;
  };

  [[nodiscard]] bool GetSeries(std::string_view& in);
  [[nodiscard]] bool GetTimes(std::string_view& in);
  [[nodiscard]] bool GetValues(std::string_view& in);
  // Null if they are malformed.
  const Times* TimesOf(size_t column);
  Slice SliceOf(const Times& times, TimeRange range) const;
  bool Ascends(uint32_t index_in_block) const { return (ascending_ >> index_in_block & 1) != 0; }
  // Reads the values of a series into `values_`; returns false if they are malformed.
  [[nodiscard]] bool ReadValues(ValueColumnsReader& reader, size_t series, size_t count,
                                std::vector<double>& values) const;
  [[nodiscard]] bool ReadOneEach(uint32_t index_in_block, SamplesNeeded needed, const Times& times,
                                 Slice slice, SampleColumns& columns);
  [[nodiscard]] bool ReadEnds(uint32_t index_in_block, const Times& times, Slice slice,
                              SampleColumns& columns);

  int64_t begin_ms_ = 0;
  uint64_t rolled_up_ = 0;
  uint64_t raw_ = 0;
  uint64_t ascending_ = 0;
  std::vector<Times> times_;
  IntegerColumnsReader counts_;
  IntegerColumnsReader firsts_;
  IntegerColumnsReader lasts_of_times_;
  std::vector<int64_t> column_of_series_;  // by rank among the rolled-up series
  ValueColumnsReader lows_;
  ValueColumnsReader highs_;
  ValueColumnsReader lasts_;
  std::vector<double> values_;
  std::vector<double> more_values_;
};

}  // namespace lockstep
