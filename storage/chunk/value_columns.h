// The values of many series that are of one kind: each series as integers in the form that suits it, and
// those of one form together (integer_columns.h).
//
//   +-----------------------------------------+-------------------------------+----------+-----
//   | group of each series, packed            | constants, if group 0 has any | group 1  | group 2 ...
//   | 0: all its values have the same bits    | form u8 | integers, packed    |          |
//   +-----------------------------------------+-------------------------------+----------+-----
//
//   group   +---------+----------------------------------+-----------------+
//           | form u8 | exceptions, if form is a decimal | integer columns |
//           +---------+----------------------------------+-----------------+
//
// Form 0 to 16 says decimals with that exponent, 17 ordered bits (decimals.h). What is no such decimal is
// an exception and patched in by its bits; in its column it repeats the integer before it.
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
#include "storage/chunk/integer_columns.h"

namespace lockstep {

// Collects series and writes them. Can be used again after Finish(), and keeps its memory then.
class ValueColumnsWriter {
 public:
  // Precondition: there is a value.
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
  std::vector<size_t> ends_;    // of the series in values_
  std::vector<Kind> kinds_;
  int exponent_ = 0;  // of the decimals
  uint64_t unit_hint_ = 1;
  std::vector<int64_t> integers_;
  IntegerColumnsWriter decimals_;
  IntegerColumnsWriter ordered_bits_;
  std::vector<int64_t> exception_counts_;  // of the columns of decimals_
  std::string exception_steps_;
  std::vector<int64_t> exception_patterns_;  // indexes into patterns_
  std::vector<uint64_t> patterns_;
  absl::flat_hash_map<uint64_t, int64_t> pattern_indexes_;
};

class ValueColumnsReader {
 public:
  // Consumes the series at the front of `in`, which must outlive the reader. Counts are those of the
  // series' values, at least 1 each; the caller bounds them. False on anything malformed.
  [[nodiscard]] bool Open(std::string_view& in, std::span<const uint32_t> counts);

  // Writes all values of a series, as many as its count. False if they are malformed. Not safe from two
  // threads at once.
  [[nodiscard]] bool Read(size_t series, double* values);

 private:
  struct Exception {
    uint32_t index = 0;
    double value = 0;
  };
  struct Group {
    int form = 0;
    std::vector<uint32_t> counts;  // of its series
    std::vector<size_t> exception_ends;
    std::vector<Exception> exceptions;
    IntegerColumnsReader columns;
  };
  struct Place {
    uint32_t group = 0;   // 0: constant
    uint32_t column = 0;  // in the group; of constants into constants_
    uint32_t count = 0;
  };

  [[nodiscard]] bool GetPlaces(std::string_view& in, std::span<const uint32_t> counts,
                               size_t& constant_count);
  [[nodiscard]] bool GetConstants(std::string_view& in, size_t count);
  [[nodiscard]] static bool GetExceptions(std::string_view& in, Group& group);
  [[nodiscard]] static bool GetGroup(std::string_view& in, Group& group);

  std::vector<Place> places_;
  std::vector<double> constants_;
  std::vector<Group> groups_;  // groups_[0] is group 1
  std::vector<int64_t> integers_;
};

}  // namespace lockstep
