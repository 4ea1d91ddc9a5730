#include "query/promql/parser/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "query/promql/parser/parser.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

struct DurationUnit {
  std::string_view name;
  int64_t ms;
  bool only_if_exact;  // 12w6d reads worse than 90d
};

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kDayMs = 24 * 3600 * kSecondMs;
constexpr DurationUnit kUnits[] = {
    {"y", 365 * kDayMs, true},
    {"w", 7 * kDayMs, true},
    {"d", kDayMs, false},
    {"h", 3600 * kSecondMs, false},
    {"m", 60 * kSecondMs, false},
    {"s", kSecondMs, false},
    {"ms", 1, false},
};
// Prometheus counts nanoseconds in 63 bits.
constexpr uint64_t kMaxDurationMs = std::numeric_limits<int64_t>::max() / 1000000;

absl::Status NumberError(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "error parsing number: strconv.ParseFloat: parsing %s: %s", Quote(text), why));
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return absl::ascii_tolower(static_cast<unsigned char>(a)) == b;
  });
}

bool IsDecimalDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetterOrDigit(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

// Underscores are allowed only between digits; 0x counts as a digit.
bool RemoveUnderscores(std::string_view text, std::string& digits) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += text[i];
      continue;
    }
    const bool between = i > 0 && i + 1 < text.size() && IsLetterOrDigit(text[i - 1]) &&
                         IsLetterOrDigit(text[i + 1]);
    if (!between) return false;
  }
  return true;
}

// Parses all of `digits` as an integer in `base` that fits 63 bits.
bool ParseInteger(std::string_view digits, int base, double& value) {
  int64_t integer = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, integer, base);
  if (error != std::errc() || stop != end) return false;
  value = static_cast<double>(integer);
  return true;
}

}  // namespace

absl::StatusOr<double> ParseNumber(std::string_view text) {
  if (EqualsIgnoringCase(text, "inf")) return std::numeric_limits<double>::infinity();
  if (EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  std::string digits;
  if (!RemoveUnderscores(text, digits)) return NumberError(text, "invalid syntax");

  double value = 0;
  const bool leading_zero = digits.size() > 1 && digits[0] == '0';
  if (leading_zero && (digits[1] == 'x' || digits[1] == 'X')) {
    if (ParseInteger(std::string_view(digits).substr(2), 16, value)) return value;
    return NumberError(text, "invalid syntax");
  }
  if (leading_zero && ParseInteger(digits, 8, value)) return value;

  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) {
    return NumberError(text, "invalid syntax");
  }
  if (error == std::errc::result_out_of_range) {
    // from_chars does not distinguish underflow, which is zero, from overflow, which is an error.
    value = std::strtod(digits.c_str(), nullptr);
    if (std::isinf(value)) return NumberError(text, "value out of range");
    return value;
  }
  return value;
}

std::string FormatDurationMs(int64_t duration_ms) {
  if (duration_ms == 0) return "0s";
  std::string out;
  for (const DurationUnit& unit : kUnits) {
    if (unit.only_if_exact && duration_ms % unit.ms != 0) continue;
    const int64_t count = duration_ms / unit.ms;
    if (count == 0) continue;
    out += absl::StrFormat("%d%s", count, unit.name);
    duration_ms -= count * unit.ms;
  }
  return out;
}

absl::StatusOr<int64_t> ParseDurationMs(std::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("empty duration string");
  if (text == "0") return 0;
  const absl::Status malformed =
      absl::InvalidArgumentError("not a valid duration string: " + Quote(text));
  const absl::Status out_of_range = absl::InvalidArgumentError("duration out of range");
  uint64_t total_ms = 0;
  // Units must be in descending order, each at most once.
  const DurationUnit* next_unit = std::begin(kUnits);
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end) {
    uint64_t count = 0;
    const auto [digits_end, error] = std::from_chars(at, end, count);
    if (error != std::errc()) return malformed;
    const char* const unit_end = std::find_if(digits_end, end, IsDecimalDigit);
    if (unit_end == digits_end) return malformed;
    const std::string_view name(digits_end, static_cast<size_t>(unit_end - digits_end));
    const DurationUnit* unit =
        std::find_if(std::begin(kUnits), std::end(kUnits),
                     [name](const DurationUnit& candidate) { return candidate.name == name; });
    if (unit == std::end(kUnits)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("unknown unit %s in duration %s", Quote(name), Quote(text)));
    }
    if (unit < next_unit) return malformed;
    next_unit = unit + 1;
    const auto unit_ms = static_cast<uint64_t>(unit->ms);
    if (count > kMaxDurationMs / unit_ms) return out_of_range;
    total_ms += count * unit_ms;
    if (total_ms > kMaxDurationMs) return out_of_range;
    at = unit_end;
  }
  return static_cast<int64_t>(total_ms);
}

}  // namespace lockstep::promql
