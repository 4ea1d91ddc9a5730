// A chunk row: samples of up to 64 neighbouring series, usually one metric of the ranks of one job,
// in one span of time. Times that series share are stored once, and values are stored in columns
// that share one model (value_columns.h). Even so, each series can be read on its own.
//
//   +------------+-----------------+------------+-----------+------------+------------------+
//   | version u8 | min time zigzag | max - min, | floats    | histograms | starts of floats |
//   | = 1 or 2   |                 | varint     | see below |            | in version 2     |
//   +------------+-----------------+------------+-----------+------------+------------------+
//
//   floats       +--------+--------------+--------+---------+-----------------+---------------+
//                | series | column count | counts | columns | column of each  | value columns |
//                |        | varint       | packed | of times| series, packed  |               |
//                +--------+--------------+--------+---------+-----------------+---------------+
//
//   histograms   +--------+--------------------------------+-----------------------+
//                | series | bytes of each series, packed   | series of histograms  |
//                +--------+--------------------------------+-----------------------+
//
//   starts       +--------+---------------------------+
//                | series | column of start times of  |
//                |        | each, integer columns     |
//                +--------+---------------------------+
//
//   series       | count varint * 2, plus 1 if they are others than the first ones |
//                | if so: varint, bit i set if series i of the block has samples    |
//
// "Packed" is the format of packed_integers.h. Times are distances to the min time, in the format
// of integer_columns.h. Start times are in Unix milliseconds; a row has them (version 2) if at
// least one is known. Series of histograms keep their own start times: histogram_series.h.
// docs/formats/chunk.md has the whole layout and examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "storage/chunk/columns_view.h"
#include "storage/chunk/integers/integer_columns.h"
#include "storage/chunk/value_columns.h"

namespace lockstep {

inline constexpr char kChunkRowVersion = 1;
inline constexpr char kChunkRowVersionWithStarts = 2;
inline constexpr uint32_t kMaxRowSeries = 64;
// The most samples in a row, floats and histograms together. A reader allocates no more than for
// these, whatever its input claims. This many floats take less than 1 MiB even if no two share
// anything.
inline constexpr size_t kMaxRowSamples = size_t{1} << 15;

// Takes one series after another and builds the row. It can be used again after Finish(), and keeps
// its memory.
class ChunkRowBuilder {
 public:
  // Preconditions: indices ascend and are below kMaxRowSeries; there is at least one sample; the
  // samples follow the rules of SampleColumns, and histograms those of EncodeHistograms(); the row
  // then has at most kMaxRowSamples samples.
  void Add(uint32_t index_in_block, ColumnsView samples);

  bool empty() const { return sample_count_ == 0; }
  size_t sample_count() const { return sample_count_; }
  TimeRange range() const { return range_; }

  // Returns the row's value; the builder is empty afterwards. Precondition: it is not empty.
  std::string Finish();

 private:
  void AddFloats(uint32_t index_in_block, ColumnsView samples);
  // Returns the column with these times, adding it if it is missing.
  size_t TimeColumn(std::span<const int64_t> timestamps_ms);
  void PutFloats(std::string& out);
  void PutTimes(std::string& out);
  void PutHistograms(std::string& out);
  void PutStarts(std::string& out);

  size_t sample_count_ = 0;
  TimeRange range_;
  uint64_t float_series_ = 0;  // bit i: series i
  uint64_t histogram_series_ = 0;
  uint64_t start_series_ = 0;
  std::vector<std::vector<int64_t>> times_;  // the first time_column_count_ are in use
  size_t time_column_count_ = 0;
  std::vector<int64_t> time_columns_;  // per series with floats
  ValueColumnsWriter values_;
  std::vector<int64_t> histogram_sizes_;
  std::string histograms_;
  IntegerColumnsWriter starts_;  // per series with known start times
};

}  // namespace lockstep
