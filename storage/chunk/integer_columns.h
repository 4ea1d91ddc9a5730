// Columns of integers of one kind, such as one metric of many ranks: each can be read without the
// others, and all share what is learned from them.
//
//   +----------+--------+-------------------+------------+--------------+---------+
//   | order u8 | firsts | first differences | bins       | stream sizes | streams |
//   +----------+--------+-------------------+------------+--------------+---------+
//
//   order 0   residuals are the integers                      a noisy gauge, or few distinct values
//   order 1   first integer, then differences                 a slowly moving gauge
//   order 2   first integer, first difference, then           a counter, a clock
//             differences of differences
//
// Firsts (of orders 1 and 2) and first differences (of order 2; 0 for a column of one integer) are
// packed_integers.h, one a column; bins are a set of bins.h; sizes, in bytes, are packed too, and absent
// if no stream takes any: without bins, or with one that holds one integer. Streams: residual_stream.h.
// Differences wrap at 64 bits. The number of columns and their lengths are kept by the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/chunk/residual_stream.h"

namespace lockstep {

inline constexpr int kMaxOrder = 2;

// Collects columns and writes them. Can be used again after Finish(), and keeps its memory then.
class IntegerColumnsWriter {
 public:
  // Precondition: the column is not empty.
  void Add(std::span<const int64_t> column);
  size_t column_count() const { return ends_.size(); }
  // Appends all columns. `unit_hint` as in bin_plan.h.
  void Finish(uint64_t unit_hint, std::string& out);

 private:
  std::span<const int64_t> Column(size_t column) const;
  int ChooseOrder(uint64_t unit_hint) const;
  void PutFirsts(int order, std::string& out) const;

  std::vector<int64_t> integers_;  // column by column
  std::vector<size_t> ends_;       // of the columns in integers_
  std::vector<int64_t> residuals_;
};

class IntegerColumnsReader {
 public:
  // Consumes the columns at the front of `in`, which must outlive the reader; what is behind them may be
  // looked at, but does not matter. Counts are those of the columns, at least 1 each; the caller bounds
  // them. False on anything malformed.
  [[nodiscard]] bool Open(std::string_view& in, std::span<const uint32_t> counts);

  // Replaces `values` by a column with `base` added to each integer; its size must be the column's count.
  // False if it is malformed. Not safe from two threads at once: tables are made when they are first
  // needed.
  [[nodiscard]] bool Read(size_t column, int64_t base, std::span<int64_t> values);

 private:
  [[nodiscard]] bool GetFirsts(std::string_view& in, size_t column_count);
  [[nodiscard]] bool GetStreams(std::string_view& in, size_t column_count);

  int order_ = 0;
  std::vector<int64_t> firsts_;
  std::vector<int64_t> first_differences_;
  BinSet bins_;
  std::optional<ResidualReader> residuals_;
  std::vector<size_t> stream_ends_;  // in streams_
  std::string_view streams_;         // and all that can be read behind them
};

}  // namespace lockstep
