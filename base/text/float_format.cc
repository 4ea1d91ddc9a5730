#include "base/text/float_format.h"

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

// std::to_chars in plain notation prints all digits of a large whole number, so the digits are
// taken from the scientific notation and laid out here.
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

// The two digits of each number below 100.
constexpr std::array<char, 200> kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

char* WriteTwoDigits(char* out, uint64_t number) {
  return std::copy_n(kDigitPairs.begin() + 2 * number, 2, out);
}

// Numbers with at most four decimals, such as most counters and gauges; null for others. A decimal
// of at most 15 digits is the shortest for its number, because no other decimal this short gives
// the same number.
char* WriteFewDecimals(char* out, double value) {
  constexpr uint64_t kScale = 10'000;
  const double magnitude = std::fabs(value);
  if (!(magnitude < 1e11)) return nullptr;
  const double scaled = std::nearbyint(magnitude * kScale);
  if (scaled / kScale != magnitude) return nullptr;
  if (std::signbit(value)) *out++ = '-';
  const auto units = static_cast<uint64_t>(scaled);
  char* end = std::to_chars(out, out + kMaxSampleValueBytes - 1, units / kScale).ptr;
  if (units % kScale == 0) return end;
  *end++ = '.';
  end = WriteTwoDigits(end, units % kScale / 100);
  end = WriteTwoDigits(end, units % 100);
  while (end[-1] == '0') --end;
  return end;
}

// Numbers for which std::to_chars in plain notation has the shortest digits; null for others.
char* WriteFixed(char* out, double value) {
  const double magnitude = std::fabs(value);
  if (!(magnitude >= 1e-6 && magnitude < 0x1p53)) return nullptr;
  const auto [end, error] =
      std::to_chars(out, out + kMaxSampleValueBytes, value, std::chars_format::fixed);
  LOCKSTEP_CHECK(error == std::errc());
  return end;
}

// The slow path for any value.
void AppendAnySampleValue(std::string& out, double value) {
  const double magnitude = std::fabs(value);
  if (AppendSpecial(out, value)) return;
  if (magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21)) {
    AppendScientific(out, Shortest(value));
  } else {
    AppendPlain(out, Shortest(value));
  }
}

template <void (*Append)(std::string&, double)>
std::string Formatted(double value) {
  std::string text;
  Append(text, value);
  return text;
}

}  // namespace

char* WriteSampleValue(char* out, double value) {
  if (char* const end = WriteFewDecimals(out, value); end != nullptr) return end;
  if (char* const end = WriteFixed(out, value); end != nullptr) return end;
  std::string text;
  AppendAnySampleValue(text, value);
  return std::copy(text.begin(), text.end(), out);
}

void AppendSampleValue(std::string& out, double value) {
  std::array<char, kMaxSampleValueBytes> text;
  out.append(text.data(), WriteSampleValue(text.data(), value));
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

char* WriteTimestamp(char* out, int64_t timestamp_ms) {
  if (timestamp_ms < 0) *out++ = '-';
  const uint64_t magnitude =
      timestamp_ms < 0 ? -static_cast<uint64_t>(timestamp_ms) : static_cast<uint64_t>(timestamp_ms);
  out = std::to_chars(out, out + kMaxTimestampBytes - 1, magnitude / 1000).ptr;
  const uint64_t milliseconds = magnitude % 1000;
  if (milliseconds == 0) return out;
  *out++ = '.';
  *out++ = static_cast<char>('0' + milliseconds / 100);
  return WriteTwoDigits(out, milliseconds % 100);
}

void AppendTimestamp(std::string& out, int64_t timestamp_ms) {
  std::array<char, kMaxTimestampBytes> text;
  out.append(text.data(), WriteTimestamp(text.data(), timestamp_ms));
}

void AppendShortestTimestamp(std::string& out, int64_t timestamp_ms) {
  AppendTimestamp(out, timestamp_ms);
  if (timestamp_ms % 1000 == 0) return;
  while (out.back() == '0') out.pop_back();
}

}  // namespace lockstep
