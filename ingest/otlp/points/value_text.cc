#include "ingest/otlp/points/value_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"

namespace lockstep::otlp {

std::string DoubleText(double value) {
  std::string text = FormatSampleValue(value);
  // Unlike in sample values, exponents have no leading zero.
  if (const size_t at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
  return text;
}

std::string Base64Text(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[group >> (18 - 6 * j) & 0x3f] : '=';
    }
  }
  return text;
}

std::string HexText(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 0xf];
  }
  return text;
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<uint8_t>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<uint8_t>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string ListText(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) {
    if (text.size() > 1) text += ',';
    text += value;
  }
  return text + ']';
}

std::string MapText(std::vector<std::pair<std::string_view, std::string>> values) {
  std::ranges::stable_sort(values, {}, &std::pair<std::string_view, std::string>::first);
  std::string text = "{";
  for (const auto& [key, value] : values) {
    if (text.size() > 1) text += ',';
    text += QuotedText(key) + ':' + value;
  }
  return text + '}';
}

}  // namespace lockstep::otlp
