#include "query/engine/kernels/number_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace lockstep::engine {
namespace {

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

std::optional<double> ParseSpecial(std::string_view text) {
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) {
    return std::numeric_limits<double>::infinity();
  }
  if (EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

// Digits without a sign, and for `hex` without the prefix.
std::optional<double> ParseDigits(std::string_view text, std::chars_format format) {
  // from_chars would also take a sign, "inf" and "nan".
  if (text.empty() || !(text[0] == '.' || std::isxdigit(static_cast<unsigned char>(text[0])))) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    const std::string prefix = format == std::chars_format::hex ? "0x" : "";
    value = std::strtod((prefix + std::string(text)).c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::optional<double> magnitude = ParseSpecial(text);
  if (!magnitude && (text.starts_with("0x") || text.starts_with("0X"))) {
    // A hexadecimal number must have its binary exponent.
    if (text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
    magnitude = ParseDigits(text.substr(2), std::chars_format::hex);
  } else if (!magnitude) {
    magnitude = ParseDigits(text, std::chars_format::general);
  }
  if (!magnitude) return std::nullopt;
  return negative ? -*magnitude : *magnitude;
}

}  // namespace lockstep::engine
