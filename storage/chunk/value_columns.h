// The values of many series of one kind. Each series is stored as integers in the form that suits
// it, together with the others of that form (integer_columns.h).
//
//   +--------------------------------------+-------------------------------+---------+-------------
//   | group of each series, packed         | constants, if group 0 has any | group 1 | group 2 ...
//   | 0: all its values have the same bits | form u8 | integers, packed    |         |
//   +--------------------------------------+-------------------------------+---------+-------------
//
//   group   +---------+----------------------------------+-----------------+
//           | form u8 | exceptions, if form is a decimal | integer columns |
//           +---------+----------------------------------+-----------------+
//
// Forms 0 to 16 mean decimals with that exponent, 17 means ordered bits (decimals.h). A value that
// is not such a decimal is an exception, patched in by its bits; in its column it repeats the
// integer before it.
//
//   exceptions   +-------------------------+-----------------------+-----------------------------+
//                | count a column, packed  | of each: indexes since| pattern count, patterns     |
//                |                         | the last one, varint  | fixed64, pattern of each,   |
//                |                         | (from the column's    | packed; absent if there are |
//                |                         | beginning)            | no exceptions               |
//                +-------------------------+-----------------------+-----------------------------+
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/chunk/integers/integer_columns.h"

namespace lockstep {

// Collects series and writes them. It can be used again after Finish(), and keeps its memory.
class ValueColumnsWriter {
 public:
  // Precondition: there is at least one value.
  void Add(std::span<const double> values);
  // Appends all series.
  void Finish(std::string& out);

 private:
  enum class Kind : uint8_t { kConstant, kDecimal, kOrderedBits };

  std::span<const double> Series(size_t series) const;
  void Classify();
  void ChooseExponent();
  bool AddDecimals(std::span<const double> values);
  void AddOrderedBits(std::span<const double> values);
  void PutGroups(std::string& out) const;
  void PutConstants(std::string& out);
  void PutExceptions(std::string& out);
  void Clear();

  std::vector<double> values_;  // series by series
  std::vector<size_t> ends_;    // lengths of the series in values_
  std::vector<Kind> kinds_;
  int exponent_ = 0;  // exponent of the decimals
  uint64_t unit_hint_ = 1;
  std::vector<int64_t> integers_;
  IntegerColumnsWriter decimals_;
  IntegerColumnsWriter ordered_bits_;
  std::vector<int64_t> exception_counts_;  // lengths of the columns of decimals_
  std::string exception_steps_;
  std::vector<int64_t> exception_patterns_;  // indexes into patterns_
  std::vector<uint64_t> patterns_;
  absl::flat_hash_map<uint64_t, int64_t> pattern_indexes_;
};

class ValueColumnsReader {
 public:
  // Consumes the series at the front of `in`, which must outlive the reader. `counts` are the
  // numbers of values of the series, at least 1 each; the caller bounds them. Returns false on
  // malformed input.
  [[nodiscard]] bool Open(std::string_view& in, std::span<const uint32_t> counts);

  // Fills `values` with the first values of a series, at most all of them. Returns false if they
  // are malformed. Not safe from two threads at once. Precondition: `values` is not empty.
  [[nodiscard]] bool ReadFirst(size_t series, std::span<double> values);

 private:
  struct Exception {
    uint32_t index = 0;
    double value = 0;
  };
  struct Group {
    int form = 0;
    std::vector<uint32_t> counts;  // by series: how many values it has
    std::vector<size_t> exception_ends;
    std::vector<Exception> exceptions;
    IntegerColumnsReader columns;

    void Clear() {
      counts.clear();
      exception_ends.clear();
      exceptions.clear();
    }
  };
  struct Place {
    uint32_t group = 0;   // 0: constant
    uint32_t column = 0;  // in the group, or for constants into constants_
    uint32_t count = 0;
  };

  [[nodiscard]] bool GetPlaces(std::string_view& in, std::span<const uint32_t> counts,
                               size_t& constant_count);
  [[nodiscard]] bool GetConstants(std::string_view& in, size_t count);
  [[nodiscard]] bool GetExceptions(std::string_view& in, Group& group);
  [[nodiscard]] bool GetGroup(std::string_view& in, Group& group);

  std::vector<Place> places_;
  std::vector<double> constants_;
  std::vector<Group> groups_;  // groups_[0] is group 1; those past group_count_ only keep memory
  size_t group_count_ = 0;
  std::vector<int64_t> integers_;
};

}  // namespace lockstep
