#include "ingest/logs/number_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

namespace lockstep::logs {
namespace {

constexpr size_t kMaxGroupedDigits = 32;
constexpr int64_t kMaxRank = 9'999'999;

// "6,198" and what follows without its commas, which stand before every three digits.
std::optional<double> TakeGroupedNumber(std::string_view& text) {
  char digits[kMaxGroupedDigits];
  size_t size = 0;
  size_t i = 0;
  while (i < text.size() && size < kMaxGroupedDigits) {
    const bool is_group = text[i] == ',' && i + 3 < text.size() && IsDigit(text[i + 1]) &&
                          IsDigit(text[i + 2]) && IsDigit(text[i + 3]);
    if (is_group) {
      ++i;
    } else if (!IsDigit(text[i]) && text[i] != '.' && !(i == 0 && text[i] == '-')) {
      break;
    }
    digits[size++] = text[i++];
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits, digits + size, value);
  if (error != std::errc() || end != digits + size) return std::nullopt;
  text.remove_prefix(i);
  return value;
}

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr uint64_t kIntegerPowersOfTen[] = {1,      10,      100,      1000,     10000,
                                            100000, 1000000, 10000000, 100000000};
constexpr int kExactPower = 22;
constexpr int kExactDigits = 15;

// Takes the digits at `at`, which `value` gets behind it, and returns how many there were. Eight at a time: see
// Lemire, "Quickly parsing eight digits". More than nineteen overflow.
inline int TakeDigits(const char*& at, const char* end, uint64_t& value) {
  int count = 0;
  while (end - at >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    word ^=
        0x3030303030303030;  // digits are 0 to 9 now, other bytes have a high half or more than 9
    const uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
    const int digits = others == 0 ? 8 : std::countr_zero(others) / 8;
    if (digits == 0) return count;
    word <<= 64 - digits * 8;  // zeros in front
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
    word = (word * 10000 + (word >> 32)) & 0xffffffff;
    value = value * kIntegerPowersOfTen[digits] + word;
    at += digits;
    count += digits;
    if (digits < 8) return count;
  }
  while (at != end && IsDigit(*at)) {
    value = value * 10 + static_cast<uint64_t>(*at++ - '0');
    ++count;
  }
  return count;
}

// Behind an 'e': a power of ten that a double holds.
inline bool TakeExponent(const char*& at, const char* end, int& exponent) {
  const bool has_sign = at != end && (*at == '-' || *at == '+');
  const bool is_negative = has_sign && *at == '-';
  if (has_sign) ++at;
  uint64_t power = 0;
  const int digit_count = TakeDigits(at, end, power);
  if (digit_count == 0 || digit_count > kExactDigits) return false;
  if (power > static_cast<uint64_t>(kExactPower)) return false;
  exponent += is_negative ? -static_cast<int>(power) : static_cast<int>(power);
  return true;
}

// Most numbers in logs: digits that a double holds exactly, times or by a power of ten that it holds too, so that
// there is one rounding. False, and nothing taken, for the others, which std::from_chars() knows.
inline bool TakeShortNumber(std::string_view& text, double& value) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool is_negative = at != end && *at == '-';
  if (is_negative) ++at;
  uint64_t digits = 0;
  int digit_count = TakeDigits(at, end, digits);
  if (digit_count == 0) return false;
  int exponent = 0;
  if (at != end && *at == '.') {
    ++at;
    const int decimals = TakeDigits(at, end, digits);
    if (decimals == 0) return false;
    digit_count += decimals;
    exponent = -decimals;
  }
  if (digit_count > kExactDigits) return false;
  if (at != end && (*at == 'e' || *at == 'E') && !TakeExponent(++at, end, exponent)) return false;
  if (exponent > kExactPower || exponent < -kExactPower) return false;
  const auto whole = static_cast<double>(digits);
  value = exponent < 0 ? whole / kPowersOfTen[-exponent] : whole * kPowersOfTen[exponent];
  if (is_negative) value = -value;
  text.remove_prefix(static_cast<size_t>(at - text.data()));
  return true;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<double> TakeNumber(std::string_view& text) {
  std::string_view rest = text;
  if (double number = 0; TakeShortNumber(rest, number)) {
    // A comma may stand between groups of digits.
    if (!rest.starts_with(',')) {
      text = rest;
      return number;
    }
    rest = text;
  }
  if (TakePrefix(rest, "+") && rest.starts_with('-')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc::result_out_of_range) {
    // What a double cannot hold is next to nothing, or more than everything.
    const std::string_view number(rest.data(), static_cast<size_t>(end - rest.data()));
    const bool is_tiny = number.find("e-") != number.npos || number.find("E-") != number.npos;
    value = is_tiny ? 0 : std::numeric_limits<double>::infinity();
    if (number.front() == '-') value = -value;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  if (end != rest.data() + rest.size() && *end == ',') {
    if (const auto grouped = TakeGroupedNumber(rest)) {
      text = rest;
      return grouped;
    }
  }
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return value;
}

std::optional<double> TakeJsonNumber(std::string_view& text) {
  double value = 0;
  if (TakeShortNumber(text, value)) return value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // "7." and "7.e5" are numbers for others alone.
  const std::string_view taken(text.data(), static_cast<size_t>(end - text.data()));
  const size_t point = taken.find('.');
  const bool ends_in_point =
      point != taken.npos && (point + 1 == taken.size() || !IsDigit(taken[point + 1]));
  if (error != std::errc() || ends_in_point) return std::nullopt;
  text.remove_prefix(taken.size());
  return value;
}

std::optional<int64_t> TakeInteger(std::string_view& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

std::optional<double> NumberOf(std::string_view text) {
  text = Trim(text);
  const auto value = TakeNumber(text);
  return text.empty() ? value : std::nullopt;
}

std::optional<int64_t> IntegerOf(std::string_view text) {
  text = Trim(text);
  const auto value = TakeInteger(text);
  return text.empty() ? value : std::nullopt;
}

std::optional<int32_t> TakeRank(std::string_view& text) {
  std::string_view rest = text;
  const auto rank = TakeInteger(rest);
  if (!rank.has_value() || *rank < 0 || *rank > kMaxRank) return std::nullopt;
  text = rest;
  return static_cast<int32_t>(*rank);
}

std::optional<int32_t> RankOf(std::string_view text) {
  text = Trim(text);
  const auto rank = TakeRank(text);
  return text.empty() ? rank : std::nullopt;
}

bool TakePrefix(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

void TakeSpaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

double BytesOfUnit(std::string_view unit) {
  constexpr std::string_view kPrefixes = "KMGTP";
  if (unit == "B") return 1;
  if (unit.size() < 2 || unit.back() != 'B') return 0;
  const size_t power = kPrefixes.find(unit.front());
  if (power == kPrefixes.npos) return 0;
  const bool is_binary = unit.size() == 3 && unit[1] == 'i';
  if (unit.size() != 2 && !is_binary) return 0;
  double bytes = 1;
  for (size_t i = 0; i <= power; ++i) bytes *= is_binary ? 1024 : 1000;
  return bytes;
}

}  // namespace lockstep::logs
