#include "ingest/logs/text/number_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

#include "ingest/logs/text/short_number.h"

namespace lockstep::logs {
namespace {

constexpr size_t kMaxGroupedDigits = 32;
constexpr int64_t kMaxRank = 9'999'999;

// Copies "6,198" and what follows without the commas between groups of three digits.
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

// Takes a short number, the most common case. False, with nothing taken, for others, which
// std::from_chars() parses.
bool TakeShort(std::string_view& text, double& value) {
  char copy[kShortNumberBytes];
  const char* begin = text.data();
  if (text.size() < sizeof(copy)) {
    std::memset(copy, 0, sizeof(copy));
    std::memcpy(copy, text.data(), text.size());
    begin = copy;
  }
  const char* const end = TakeShortNumber(begin, value);
  if (end == nullptr) return false;
  text.remove_prefix(static_cast<size_t>(end - begin));
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
  if (double number = 0; TakeShort(rest, number)) {
    // A comma may separate groups of digits.
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
    // Out of a double's range: almost zero or infinite.
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
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // JSON does not allow "7." and "7.e5".
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
