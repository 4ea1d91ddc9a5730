#include "cli/terminal/visible_text.h"

#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

// The last byte of U+0080 to U+009F as UTF-8, after \xc2.
constexpr unsigned char kLastC1Byte = 0x9f;

// Characters that change the text direction: U+202A to U+202E and U+2066 to U+2069.
bool TurnsDirection(unsigned code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string Visible(std::string_view text, bool keeps_line_feeds) {
  std::string out;
  out.reserve(text.size());
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned c = byte(i);
    const unsigned of_three = (c & 0x0f) << 12 | (byte(i + 1) & 0x3f) << 6 | (byte(i + 2) & 0x3f);
    if ((c < 0x20 && !(c == '\n' && keeps_line_feeds)) || c == 0x7f) {
      absl::StrAppendFormat(&out, "\\x%02x", c);
    } else if (c == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) <= kLastC1Byte) {
      absl::StrAppendFormat(&out, "\\u%04x", byte(++i));
    } else if (c == 0xe2 && TurnsDirection(of_three)) {
      absl::StrAppendFormat(&out, "\\u%04x", of_three);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string VisibleText(std::string_view text) { return Visible(text, true); }

std::string VisibleCell(std::string_view text) { return Visible(text, false); }

}  // namespace lockstep::cli
