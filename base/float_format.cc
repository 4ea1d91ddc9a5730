#include "base/float_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/check.h"

namespace lockstep {
namespace {

// The shortest decimal form of a finite number: 0.DDDD * 10^point.
struct Decimal {
  bool negative = false;
  std::array<char, 17> digits{};
  int digit_count = 0;
  int point = 0;

  // The exponent of the scientific notation D.DDD * 10^exponent.
  int exponent() const { return point - 1; }
  std::string_view view() const { return {digits.data(), static_cast<size_t>(digit_count)}; }
};

// std::to_chars in plain notation prints all digits of a large whole number; so the digits are
// taken from the scientific one and laid out here.
Decimal Shortest(double value) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  LOCKSTEP_CHECK(error == std::errc());
  Decimal decimal;
  const char* at = text.data();
  for (; *at != 'e'; ++at) {
    if (*at == '-') {
      decimal.negative = true;
    } else if (*at != '.') {
      decimal.digits[static_cast<size_t>(decimal.digit_count++)] = *at;
    }
  }
  ++at;
  if (*at == '+') ++at;
  int exponent = 0;
  std::from_chars(at, end, exponent);
  decimal.point = exponent + 1;
  return decimal;
}

void AppendPlain(std::string& out, const Decimal& decimal) {
  if (decimal.negative) out += '-';
  const std::string_view digits = decimal.view();
  if (decimal.point <= 0) {
    out += "0";
    if (digits == "0") return;
    out += '.';
    out.append(static_cast<size_t>(-decimal.point), '0');
    out += digits;
    return;
  }
  const auto whole = static_cast<size_t>(decimal.point);
  out += digits.substr(0, whole);
  if (whole >= digits.size()) {
    out.append(whole - digits.size(), '0');
    return;
  }
  out += '.';
  out += digits.substr(whole);
}

void AppendScientific(std::string& out, const Decimal& decimal) {
  if (decimal.negative) out += '-';
  const std::string_view digits = decimal.view();
  out += digits[0];
  if (digits.size() > 1) {
    out += '.';
    out += digits.substr(1);
  }
  const int exponent = decimal.exponent();
  out += exponent < 0 ? "e-" : "e+";
  const std::string magnitude = std::to_string(std::abs(exponent));
  if (magnitude.size() < 2) out += '0';
  out += magnitude;
}

bool AppendSpecial(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    return false;
  }
  return true;
}

// Numbers of at most four decimals, which most counters and gauges are; false for others. A decimal of at
// most 15 digits is the shortest that gives its number: no other so short gives the same.
bool AppendFewDecimals(std::string& out, double value) {
  constexpr double kScale = 10'000;
  constexpr size_t kDecimals = 4;
  const double magnitude = std::fabs(value);
  if (!(magnitude < 1e11) || magnitude == 0) return false;
  const double scaled = std::nearbyint(magnitude * kScale);
  if (scaled / kScale != magnitude) return false;
  std::array<char, 24> text;  // sign, digits, point
  char* begin = text.data() + 1;
  char* end =
      std::to_chars(begin + kDecimals, text.data() + text.size() - 1, static_cast<uint64_t>(scaled))
          .ptr;
  // Below one there are zeros to put in front.
  begin += kDecimals;
  while (end - begin < static_cast<std::ptrdiff_t>(kDecimals) + 1) *--begin = '0';
  char* const point = end - kDecimals;
  while (end > point && end[-1] == '0') --end;
  if (end > point) {
    std::copy_backward(point, end, end + 1);
    *point = '.';
    ++end;
  }
  if (value < 0) *--begin = '-';
  out.append(begin, end);
  return true;
}

// Where std::to_chars in plain notation has the shortest digits; false elsewhere.
bool AppendFixed(std::string& out, double value) {
  const double magnitude = std::fabs(value);
  if (!(magnitude >= 1e-6 && magnitude < 0x1p53)) return false;
  std::array<char, 40> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  LOCKSTEP_CHECK(error == std::errc());
  out.append(text.data(), end);
  return true;
}

template <void (*Append)(std::string&, double)>
std::string Formatted(double value) {
  std::string text;
  Append(text, value);
  return text;
}

// Returns the milliseconds that are left after the whole seconds.
int AppendSeconds(std::string& out, int64_t timestamp_ms) {
  if (timestamp_ms < 0) out += '-';
  const uint64_t magnitude =
      timestamp_ms < 0 ? -static_cast<uint64_t>(timestamp_ms) : static_cast<uint64_t>(timestamp_ms);
  std::array<char, 24> text;
  char* const end = std::to_chars(text.data(), text.data() + text.size(), magnitude / 1000).ptr;
  out.append(text.data(), end);
  return static_cast<int>(magnitude % 1000);
}

void AppendThreeDigits(std::string& out, int number) {
  out += static_cast<char>('0' + number / 100);
  out += static_cast<char>('0' + number / 10 % 10);
  out += static_cast<char>('0' + number % 10);
}

}  // namespace

void AppendSampleValue(std::string& out, double value) {
  const double magnitude = std::fabs(value);
  if (AppendFewDecimals(out, value) || AppendFixed(out, value)) return;
  if (AppendSpecial(out, value)) return;
  if (magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21)) {
    AppendScientific(out, Shortest(value));
  } else {
    AppendPlain(out, Shortest(value));
  }
}

std::string FormatSampleValue(double value) { return Formatted<AppendSampleValue>(value); }

void AppendPlainValue(std::string& out, double value) {
  if (!AppendSpecial(out, value)) AppendPlain(out, Shortest(value));
}

std::string FormatPlainValue(double value) { return Formatted<AppendPlainValue>(value); }

void AppendShortValue(std::string& out, double value) {
  if (AppendSpecial(out, value)) return;
  const Decimal decimal = Shortest(value);
  if (decimal.exponent() < -4 || decimal.exponent() >= 6) {
    AppendScientific(out, decimal);
  } else {
    AppendPlain(out, decimal);
  }
}

std::string FormatShortValue(double value) { return Formatted<AppendShortValue>(value); }

void AppendTimestamp(std::string& out, int64_t timestamp_ms) {
  const int milliseconds = AppendSeconds(out, timestamp_ms);
  if (milliseconds == 0) return;
  out += '.';
  AppendThreeDigits(out, milliseconds);
}

void AppendShortestTimestamp(std::string& out, int64_t timestamp_ms) {
  const int milliseconds = AppendSeconds(out, timestamp_ms);
  if (milliseconds == 0) return;
  out += '.';
  AppendThreeDigits(out, milliseconds);
  while (out.back() == '0') out.pop_back();
}

}  // namespace lockstep
