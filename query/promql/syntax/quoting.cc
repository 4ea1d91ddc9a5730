#include "query/promql/syntax/quoting.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"

namespace lockstep::promql {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// Close enough to Go's unicode.IsPrint: false for control, separator, format, surrogate and private
// use characters; true for unassigned code points, which Go escapes.
bool IsPrintable(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return false;
  if (c >= 0x2000 && c <= 0x200F) return false;
  if (c >= 0x2028 && c <= 0x202F) return false;
  if (c >= 0x205F && c <= 0x206F) return false;
  if (c == 0x1680 || c == 0x3000 || c == 0xFEFF) return false;
  if (c >= 0xD800 && c <= 0xF8FF) return false;
  return c < 0xE0000;
}

void AppendEscaped(char32_t c, char quote, std::string& out) {
  static constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\";
  static constexpr std::string_view kLetters = "abfnrtv\\";
  if (c == static_cast<char32_t>(quote)) {
    out += '\\';
    out += quote;
    return;
  }
  const size_t named = c < 0x80 ? kNamed.find(static_cast<char>(c)) : std::string_view::npos;
  if (named != std::string_view::npos) {
    out += '\\';
    out += kLetters[named];
  } else if (IsPrintable(c)) {
    AppendUtf8(c, out);
  } else if (c < 0x80) {
    out += absl::StrFormat("\\x%02x", static_cast<uint32_t>(c));
  } else {
    const auto value = static_cast<uint32_t>(c);
    out += c < 0x10000 ? absl::StrFormat("\\u%04x", value) : absl::StrFormat("\\U%08x", value);
  }
}

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c - 'A' + 10;
}

uint32_t ReadDigits(std::string_view digits, uint32_t base) {
  uint32_t value = 0;
  for (const char c : digits) value = value * base + static_cast<uint32_t>(DigitValue(c));
  return value;
}

// Appends the meaning of the escape at the start of `rest` (after the backslash); returns its size.
size_t UnescapeOne(std::string_view rest, std::string& out) {
  switch (rest[0]) {
    case 'x':
      out += static_cast<char>(ReadDigits(rest.substr(1, 2), 16));
      return 3;
    case 'u':
      AppendUtf8(ReadDigits(rest.substr(1, 4), 16), out);
      return 5;
    case 'U':
      AppendUtf8(ReadDigits(rest.substr(1, 8), 16), out);
      return 9;
    default:
      break;
  }
  if (rest[0] >= '0' && rest[0] <= '7') {
    out += static_cast<char>(ReadDigits(rest.substr(0, 3), 8));
    return 3;
  }
  static constexpr std::string_view kLetters = "abfnrtv";
  const size_t named = kLetters.find(rest[0]);
  out += named == std::string_view::npos ? rest[0] : "\a\b\f\n\r\t\v"[named];
  return 1;
}

}  // namespace

DecodedChar DecodeChar(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  char32_t c = lead & (0xFF >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if (!IsContinuation(text[i])) return {};
    c = (c << 6) | (static_cast<uint8_t>(text[i]) & 0x3F);
  }
  static constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[size] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return {};
  return {c, size};
}

std::string_view FirstChars(std::string_view text, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < count && at < text.size(); ++i) at += DecodeChar(text.substr(at)).size;
  return text.substr(0, at);
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const DecodedChar c = DecodeChar(text);
    if (c.code_point == DecodedChar::kInvalid) {
      out += absl::StrFormat("\\x%02x", static_cast<uint8_t>(text[0]));
    } else {
      AppendEscaped(c.code_point, '"', out);
    }
    text.remove_prefix(c.size);
  }
  out += '"';
  return out;
}

std::string QuoteChar(char32_t code_point) {
  std::string out = "'";
  AppendEscaped(code_point == DecodedChar::kInvalid ? kReplacement : code_point, '\'', out);
  out += '\'';
  return out;
}

std::string Unquote(std::string_view literal) {
  const char quote = literal.front();
  std::string_view rest = literal.substr(1, literal.size() - 2);
  if (quote == '`') return std::string(rest);
  std::string out;
  while (!rest.empty()) {
    const size_t plain = std::min(rest.find('\\'), rest.size());
    out.append(rest.substr(0, plain));
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    rest.remove_prefix(1);
    rest.remove_prefix(UnescapeOne(rest, out));
  }
  return out;
}

void AppendUtf8(char32_t c, std::string& out) {
  const auto tail = [&out](char32_t bits) { out += static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(c);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(c >> 6);
    tail(c);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(c >> 12);
    tail(c >> 6);
    tail(c);
  }
}

}  // namespace lockstep::promql
