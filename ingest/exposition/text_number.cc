#include "ingest/exposition/text_number.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "absl/strings/str_format.h"
#include "ingest/exposition/malformed.h"

namespace lockstep::exposition {
namespace {

// Source: Prometheus, model/value (NormalNaN).
constexpr uint64_t kNormalNanBits = 0x7ff8000000000001;
// Beyond this, milliseconds do not fit into 64 bits.
constexpr double kMaxSeconds = 9e15;

absl::Status NotA(std::string_view what, std::string_view text) {
  return Malformed(absl::StrFormat("\"%s\" is not %s", Shown(text), what));
}

bool IsDigitOrDot(char c) { return (c >= '0' && c <= '9') || c == '.'; }

// Whether it is exactly "nan", in any case.
bool IsNan(std::string_view text) {
  return text.size() == 3 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a' &&
         (text[2] | 0x20) == 'n';
}

}  // namespace

absl::StatusOr<double> ParseValue(std::string_view text) {
  if (IsNan(text)) return std::bit_cast<double>(kNormalNanBits);
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  const bool has_minus = digits.size() == text.size() && digits.starts_with('-');
  const char first = digits.size() > has_minus ? digits[has_minus] : '\0';
  if (!IsDigitOrDot(first) && (first | 0x20) != 'i') return NotA("a number", text);
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  if (at != end || error == std::errc::invalid_argument) return NotA("a number", text);
  if (error == std::errc()) return value;
  // Out of a double's range: too small, so (almost) zero, or too large.
  value = std::strtod(std::string(digits).c_str(), nullptr);
  if (std::isinf(value)) return NotA("a number that fits into 64 bits", text);
  return value;
}

absl::StatusOr<int64_t> ParseMilliseconds(std::string_view text) {
  int64_t timestamp_ms = 0;
  if (text.starts_with('-')) return NotA("a time in milliseconds", text);
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, timestamp_ms);
  if (at != end || error != std::errc()) return NotA("a time in milliseconds", text);
  return timestamp_ms;
}

absl::StatusOr<int64_t> ParseSeconds(std::string_view text) {
  const absl::StatusOr<double> seconds = ParseValue(text);
  if (!seconds.ok() || !(std::abs(*seconds) < kMaxSeconds)) return NotA("a time in seconds", text);
  return std::llround(*seconds * 1000);
}

}  // namespace lockstep::exposition
