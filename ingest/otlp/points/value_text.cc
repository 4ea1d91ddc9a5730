#include "ingest/otlp/points/value_text.h"

#include <cstdint>

#include "absl/strings/escaping.h"
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
  return absl::Base64Escape({bytes.data(), bytes.size()});
}

std::string HexText(std::string_view bytes) {
  return absl::BytesToHexString({bytes.data(), bytes.size()});
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
