// A rollup row: aggregates over buckets of five minutes (series_rollup.h) of up to 64 neighbouring
// series, the block of one chunk row, in one window of four hours. It complements the samples and
// never replaces them.
//
//   +------------+---------------+------------+----------------+-------+-----------------+--------+
//   | version u8 | rolled-up     | raw series | ascending      | times | column of times | values |
//   | = 1        | series varint | varint     | series, varint |       | of each, packed |        |
//   +------------+---------------+------------+----------------+-------+-----------------+--------+
//
//   series       bit i is series i of the block
//   times        +--------------+-------------------+--------+--------+-------+
//                | column count | buckets of each,  | counts | firsts | lasts |
//                | varint       | varint of bits    | integer columns each    |
//                +--------------+-------------------+--------+--------+-------+
//   values       | lows | highs | lasts of those that do not ascend |   value columns each
//
// Raw series have samples that cannot be rolled up, or too few; a series in neither list has only
// stale markers or no samples. For integer and value columns see storage/chunk.
// docs/formats/rollup.md has an example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/chunk/value_columns.h"
#include "storage/rollup/series_rollup.h"

namespace lockstep {

inline constexpr uint32_t kMaxRollupSeries = 64;
// A series with fewer samples per bucket on average is raw, because too little could be saved.
inline constexpr uint64_t kMinSamplesPerBucket = 8;

// Takes one series after another and builds the row. It can be used again after Finish(), and keeps
// its memory.
class RollupRowBuilder {
 public:
  // Preconditions: indices ascend and are below kMaxRollupSeries; the samples lie in the window
  // that begins at `begin_ms`, which is the same for all.
  void Add(uint32_t index_in_block, const SampleColumns& columns, int64_t begin_ms);

  // The row's value, or nothing if no series was rolled up; the builder is empty afterwards.
  std::optional<std::string> Finish();

 private:
  // Returns the column with these times, adding it if it is missing.
  size_t TimeColumn(const BucketTimes& times);
  void PutTimes(std::string& out) const;

  uint64_t rolled_up_ = 0;  // bit i: series i
  uint64_t raw_ = 0;
  uint64_t ascending_ = 0;
  std::vector<BucketTimes> times_;  // the first time_column_count_ are in use
  size_t time_column_count_ = 0;
  std::vector<int64_t> time_columns_;  // per rolled-up series
  ValueColumnsWriter lows_;
  ValueColumnsWriter highs_;
  ValueColumnsWriter lasts_;
  SeriesRollup rollup_;
};

}  // namespace lockstep
