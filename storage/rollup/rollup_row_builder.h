// A rollup row: up to 64 neighbouring series, the block of one chunk row, in one window of four hours,
// summed up by buckets of five minutes (series_rollup.h). It stands beside the samples, never for them.
//
//   +------------+---------------+------------+----------------+-------+-------------------+--------+
//   | version u8 | rolled-up     | raw series | ascending      | times | column of times   | values |
//   | = 1        | series varint | varint     | series, varint |       | of each, packed   |        |
//   +------------+---------------+------------+----------------+-------+-------------------+--------+
//
//   series       bit i is series i of the block
//   times        +--------------+-------------------+--------+--------+-------+
//                | column count | buckets of each,  | counts | firsts | lasts |
//                | varint       | varint of bits    | integer columns each    |
//                +--------------+-------------------+--------+--------+-------+
//   values       | lows | highs | lasts of those that do not ascend |   value columns each
//
// Raw series have samples that cannot be summed up, or too few; a series in neither list has no sample but stale
// markers. Integer and value columns: storage/chunk. docs/formats/rollup.md has an example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/chunk/value_columns.h"
#include "storage/rollup/series_rollup.h"

namespace lockstep {

inline constexpr uint32_t kMaxRollupSeries = 64;
// A series with fewer samples in a bucket than this, in the mean, is raw: there is too little to save.
inline constexpr uint64_t kMinSamplesPerBucket = 8;

// Takes series by series and makes the row. Can be used again after Finish(), and keeps its memory then.
class RollupRowBuilder {
 public:
  // Preconditions: indices ascend and are below kMaxRollupSeries; the samples lie in the window that
  // begins at `begin_ms`, the same for all.
  void Add(uint32_t index_in_block, const SampleColumns& columns, int64_t begin_ms);

  // The row's value, or nothing if no series was summed up; the builder is empty afterwards.
  std::optional<std::string> Finish();

 private:
  // The column of these times, a new one if there is none.
  size_t TimeColumn(const BucketTimes& times);
  void PutTimes(std::string& out) const;

  uint64_t rolled_up_ = 0;  // bits by index
  uint64_t raw_ = 0;
  uint64_t ascending_ = 0;
  std::vector<BucketTimes> times_;  // the first time_column_count_ are columns
  size_t time_column_count_ = 0;
  std::vector<int64_t> time_columns_;  // of each series that is summed up
  ValueColumnsWriter lows_;
  ValueColumnsWriter highs_;
  ValueColumnsWriter lasts_;
  SeriesRollup rollup_;
};

}  // namespace lockstep
