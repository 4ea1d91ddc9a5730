// Columns of integers of one kind, such as one metric of many ranks. Each can be read without the
// others, and all share one set of bins.
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
// Firsts (in orders 1 and 2) and first differences (in order 2; 0 for a column of one integer) are
// packed (packed_integers.h), one per column. Bins are a set as in bins.h. Stream sizes, in bytes,
// are packed too; they are absent if no stream takes any bytes: without bins, or with one bin that
// holds one integer. Streams are in the format of residual_stream.h. Differences wrap at 64 bits.
// The caller keeps the number of columns and their lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/chunk/integers/residual_stream.h"

namespace lockstep {

inline constexpr int kMaxOrder = 2;

// Collects columns and writes them. It can be used again after Finish(), and keeps its memory.
class IntegerColumnsWriter {
 public:
  // Precondition: the column is not empty.
  void Add(std::span<const int64_t> column);
  size_t column_count() const { return ends_.size(); }
  // Appends all columns. `unit_hint` is as in bin_plan.h.
  void Finish(uint64_t unit_hint, std::string& out);

 private:
  std::span<const int64_t> Column(size_t column) const;
  int ChooseOrder(uint64_t unit_hint) const;
  void PutFirsts(int order, std::string& out) const;

  std::vector<int64_t> integers_;  // column by column
  std::vector<size_t> ends_;       // lengths of the columns in integers_
  std::vector<int64_t> residuals_;
};

class IntegerColumnsReader {
 public:
  // Consumes the columns at the front of `in`, which must outlive the reader; the reader may look
  // at bytes after them, but their content does not matter. `counts` are the lengths of the
  // columns, at least 1 each; the caller bounds them. Returns false on malformed input.
  [[nodiscard]] bool Open(std::string_view& in, std::span<const uint32_t> counts);

  // Fills `values` with a column, adding `base` to each integer; its size must be the column's
  // count. Returns false if the column is malformed. Not safe from two threads at once: tables are
  // built on first use.
  [[nodiscard]] bool Read(size_t column, int64_t base, std::span<int64_t> values) {
    return ReadFirst(column, base, values.size(), values);
  }
  // The same, but `values` takes only the first of the column's `count` integers, and the rest may
  // be malformed. Precondition: `values` is not empty.
  [[nodiscard]] bool ReadFirst(size_t column, int64_t base, size_t count,
                               std::span<int64_t> values);

 private:
  [[nodiscard]] bool GetFirsts(std::string_view& in, size_t column_count);
  [[nodiscard]] bool GetStreams(std::string_view& in, size_t column_count);

  int order_ = 0;
  std::vector<int64_t> firsts_;
  std::vector<int64_t> first_differences_;
  BinSet bins_;
  ResidualReader residuals_;
  bool has_tables_ = false;          // whether residuals_ has been set to bins_
  std::vector<int64_t> sizes_;       // scratch
  std::vector<size_t> stream_ends_;  // offset in streams_
  std::string_view streams_;         // and all readable bytes after them
};

}  // namespace lockstep
