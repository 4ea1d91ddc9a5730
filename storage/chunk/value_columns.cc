#include "storage/chunk/value_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "base/coding.h"
#include "storage/chunk/decimals.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {

constexpr int kOrderedBitsForm = kMaxExponent + 1;
// With more than one exception in this many values, exceptions cost more than they save.
constexpr size_t kValuesPerException = 8;
// If one value in this many is whole, bins of whole numbers are worth a try.
constexpr size_t kValuesPerWhole = 8;
// The exponent is chosen by about this many values.
constexpr size_t kTrialValues = 1024;
constexpr double kBitsPerException = 80;
constexpr double kBitsPerDigit = 3.32;

uint64_t PowerOfTen(int exponent) {
  uint64_t power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

bool IsConstant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(values.front());
  });
}

void ToValues(std::span<const int64_t> integers, int form, double* values) {
  if (form == kOrderedBitsForm) {
    OrderedBitsToValues(integers, values);
  } else {
    IntegersToDecimals(integers, form, values);
  }
}

bool GetForm(std::string_view& in, int& form) {
  if (in.empty()) return false;
  form = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  return form <= kOrderedBitsForm;
}

}  // namespace

void ValueColumnsWriter::Add(std::span<const double> values) {
  values_.insert(values_.end(), values.begin(), values.end());
  ends_.push_back(values_.size());
}

std::span<const double> ValueColumnsWriter::Series(size_t series) const {
  const size_t begin = series == 0 ? 0 : ends_[series - 1];
  return std::span(values_).subspan(begin, ends_[series] - begin);
}

void ValueColumnsWriter::Classify() {
  for (size_t series = 0; series < ends_.size(); ++series) {
    kinds_.push_back(IsConstant(Series(series)) ? Kind::kConstant : Kind::kDecimal);
  }
}

// Weighs exceptions against digits, using values from the whole range. Whole numbers cost no digits
// if there are enough of them for bins of their own.
void ValueColumnsWriter::ChooseExponent() {
  std::array<size_t, kMaxExponent + 2>
      counts{};  // count by the smallest exponent that fits a value
  size_t trial_count = 0;
  const size_t stride = values_.size() / kTrialValues + 1;
  for (size_t series = 0; series < ends_.size(); ++series) {
    const std::span<const double> values = Series(series);
    if (kinds_[series] == Kind::kConstant) continue;
    for (size_t i = series % stride; i < values.size(); i += stride, ++trial_count) {
      size_t exponent = 0;
      while (exponent <= kMaxExponent && !AsDecimal(values[i], static_cast<int>(exponent)))
        ++exponent;
      ++counts[exponent];
    }
  }
  const bool has_wholes = counts[0] * kValuesPerWhole >= trial_count;
  double least = std::numeric_limits<double>::infinity();
  size_t suited = 0;
  for (int exponent = 0; exponent <= kMaxExponent; ++exponent) {
    suited += counts[static_cast<size_t>(exponent)];
    const size_t with_digits = has_wholes ? suited - counts[0] : suited;
    const double bits = kBitsPerException * static_cast<double>(trial_count - suited) +
                        kBitsPerDigit * exponent * static_cast<double>(with_digits);
    if (bits >= least) continue;
    least = bits;
    exponent_ = exponent;
  }
  unit_hint_ = has_wholes ? PowerOfTen(exponent_) : 1;
}

// Returns false and adds nothing if too many values are not such decimals.
bool ValueColumnsWriter::AddDecimals(std::span<const double> values) {
  integers_.clear();
  std::vector<size_t> exceptions;
  const size_t max_exceptions = values.size() / kValuesPerException + 1;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::optional<int64_t> integer = AsDecimal(values[i], exponent_);
    if (!integer) exceptions.push_back(i);
    if (exceptions.size() > max_exceptions) return false;
    integers_.push_back(integer.value_or(integers_.empty() ? 0 : integers_.back()));
  }
  size_t last = 0;
  for (const size_t index : exceptions) {
    PutVarint64(exception_steps_, index - std::exchange(last, index));
    const auto bits = std::bit_cast<uint64_t>(values[index]);
    const auto [pattern, is_new] =
        pattern_indexes_.try_emplace(bits, static_cast<int64_t>(patterns_.size()));
    if (is_new) patterns_.push_back(bits);
    exception_patterns_.push_back(pattern->second);
  }
  exception_counts_.push_back(static_cast<int64_t>(exceptions.size()));
  decimals_.Add(integers_);
  return true;
}

void ValueColumnsWriter::AddOrderedBits(std::span<const double> values) {
  integers_.clear();
  for (const double value : values) integers_.push_back(AsOrderedBits(value));
  ordered_bits_.Add(integers_);
}

void ValueColumnsWriter::PutGroups(std::string& out) const {
  const bool has_decimals = std::find(kinds_.begin(), kinds_.end(), Kind::kDecimal) != kinds_.end();
  std::vector<int64_t> groups;
  for (const Kind kind : kinds_) {
    groups.push_back(kind == Kind::kConstant                      ? 0
                     : kind == Kind::kOrderedBits && has_decimals ? 2
                                                                  : 1);
  }
  PutPackedIntegers(out, groups);
}

void ValueColumnsWriter::PutConstants(std::string& out) {
  std::vector<double> constants;
  for (size_t series = 0; series < kinds_.size(); ++series) {
    if (kinds_[series] == Kind::kConstant) constants.push_back(Series(series).front());
  }
  if (constants.empty()) return;
  int form = 0;
  for (const double value : constants) {
    while (form < kOrderedBitsForm && !AsDecimal(value, form)) ++form;
  }
  // An exponent that fits one value may be too large for another.
  const bool is_decimal =
      form <= kMaxExponent && std::all_of(constants.begin(), constants.end(), [&](double value) {
        return AsDecimal(value, form).has_value();
      });
  if (!is_decimal) form = kOrderedBitsForm;
  integers_.clear();
  for (const double value : constants) {
    integers_.push_back(is_decimal ? *AsDecimal(value, form) : AsOrderedBits(value));
  }
  out.push_back(static_cast<char>(form));
  PutPackedIntegers(out, integers_);
}

void ValueColumnsWriter::PutExceptions(std::string& out) {
  PutPackedIntegers(out, exception_counts_);
  if (patterns_.empty()) return;
  out += exception_steps_;
  PutVarint64(out, patterns_.size());
  for (const uint64_t bits : patterns_) PutFixed64(out, bits);
  PutPackedIntegers(out, exception_patterns_);
}

void ValueColumnsWriter::Finish(std::string& out) {
  Classify();
  ChooseExponent();
  for (size_t series = 0; series < kinds_.size(); ++series) {
    if (kinds_[series] == Kind::kDecimal && !AddDecimals(Series(series))) {
      kinds_[series] = Kind::kOrderedBits;
    }
    if (kinds_[series] == Kind::kOrderedBits) AddOrderedBits(Series(series));
  }
  PutGroups(out);
  PutConstants(out);
  if (decimals_.column_count() > 0) {
    out.push_back(static_cast<char>(exponent_));
    PutExceptions(out);
    decimals_.Finish(unit_hint_, out);
  }
  if (ordered_bits_.column_count() > 0) {
    out.push_back(static_cast<char>(kOrderedBitsForm));
    ordered_bits_.Finish(1, out);
  }
  Clear();
}

void ValueColumnsWriter::Clear() {
  values_.clear();
  ends_.clear();
  kinds_.clear();
  exception_counts_.clear();
  exception_steps_.clear();
  patterns_.clear();
  exception_patterns_.clear();
  pattern_indexes_.clear();
}

bool ValueColumnsReader::GetPlaces(std::string_view& in, std::span<const uint32_t> counts,
                                   size_t& constant_count) {
  integers_.resize(counts.size());
  if (!GetPackedIntegers(in, integers_)) return false;
  for (size_t series = 0; series < counts.size(); ++series) {
    if (integers_[series] < 0 || static_cast<size_t>(integers_[series]) > counts.size()) {
      return false;
    }
    const auto group = static_cast<uint32_t>(integers_[series]);
    if (group > groups_.size()) groups_.resize(group);
    for (; group_count_ < group; ++group_count_) groups_[group_count_].Clear();
    Place place{group, static_cast<uint32_t>(constant_count), counts[series]};
    if (group == 0) {
      ++constant_count;
    } else {
      place.column = static_cast<uint32_t>(groups_[group - 1].counts.size());
      groups_[group - 1].counts.push_back(counts[series]);
    }
    places_.push_back(place);
  }
  return true;
}

bool ValueColumnsReader::GetConstants(std::string_view& in, size_t count) {
  if (count == 0) return true;
  int form = 0;
  integers_.resize(count);
  constants_.resize(count);
  if (!GetForm(in, form) || !GetPackedIntegers(in, integers_)) return false;
  ToValues(integers_, form, constants_.data());
  return true;
}

bool ValueColumnsReader::GetExceptions(std::string_view& in, Group& group) {
  integers_.resize(group.counts.size());
  if (!GetPackedIntegers(in, integers_)) return false;
  for (size_t column = 0; column < group.counts.size(); ++column) {
    if (integers_[column] < 0 || integers_[column] > group.counts[column]) return false;
    uint64_t index = 0;
    for (int64_t i = 0; i < integers_[column]; ++i) {
      uint64_t step = 0;
      if (!GetVarint64(in, step) || step >= group.counts[column] - index) return false;
      index += step;
      group.exceptions.push_back({static_cast<uint32_t>(index), 0});
    }
    group.exception_ends.push_back(group.exceptions.size());
  }
  if (group.exceptions.empty()) return true;
  uint64_t pattern_count = 0;
  if (!GetVarint64(in, pattern_count) || pattern_count > in.size() / 8) return false;
  std::vector<double> patterns;
  for (uint64_t bits = 0; patterns.size() < pattern_count && GetFixed64(in, bits);) {
    patterns.push_back(std::bit_cast<double>(bits));
  }
  std::vector<int64_t> which(group.exceptions.size());
  if (!GetPackedIntegers(in, which)) return false;
  for (size_t i = 0; i < which.size(); ++i) {
    if (which[i] < 0 || static_cast<uint64_t>(which[i]) >= pattern_count) return false;
    group.exceptions[i].value = patterns[static_cast<size_t>(which[i])];
  }
  return true;
}

bool ValueColumnsReader::GetGroup(std::string_view& in, Group& group) {
  if (group.counts.empty() || !GetForm(in, group.form)) return false;
  if (group.form != kOrderedBitsForm && !GetExceptions(in, group)) return false;
  return group.columns.Open(in, group.counts);
}

bool ValueColumnsReader::Open(std::string_view& in, std::span<const uint32_t> counts) {
  places_.clear();
  group_count_ = 0;
  size_t constant_count = 0;
  if (!GetPlaces(in, counts, constant_count) || !GetConstants(in, constant_count)) return false;
  return std::ranges::all_of(std::span(groups_).first(group_count_),
                             [&](Group& group) { return GetGroup(in, group); });
}

bool ValueColumnsReader::ReadFirst(size_t series, std::span<double> values) {
  const Place place = places_[series];
  if (place.group == 0) {
    std::ranges::fill(values, constants_[place.column]);
    return true;
  }
  Group& group = groups_[place.group - 1];
  integers_.resize(values.size());
  if (!group.columns.ReadFirst(place.column, /*base=*/0, place.count, integers_)) return false;
  ToValues(integers_, group.form, values.data());
  if (group.exceptions.empty()) return true;
  const size_t begin = place.column == 0 ? 0 : group.exception_ends[place.column - 1];
  for (size_t i = begin; i < group.exception_ends[place.column]; ++i) {
    const Exception& exception = group.exceptions[i];
    if (exception.index < values.size()) values[exception.index] = exception.value;
  }
  return true;
}

}  // namespace lockstep
