// Quotes and unquotes string literals in Go's notation, which PromQL shares.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::promql {

// The UTF-8 character at the start of a text.
struct DecodedChar {
  static constexpr char32_t kInvalid = 0xFFFFFFFF;
  char32_t code_point = kInvalid;  // kInvalid for a byte that does not start a valid character
  size_t size = 1;                 // bytes
};
// Precondition: `text` is not empty.
DecodedChar DecodeChar(std::string_view text);

// The first `count` characters of `text`.
std::string_view FirstChars(std::string_view text, size_t count);

// "..." with escapes for everything that is not printable or not UTF-8, like Go's %q.
std::string Quote(std::string_view text);
// 'x', like Go's %q for a character. kInvalid represents the end of the input, which Go shows as
// '�'.
std::string QuoteChar(char32_t code_point);

// The value of a literal that the lexer accepted; `literal` includes its quotes, of any kind.
std::string Unquote(std::string_view literal);

void AppendUtf8(char32_t code_point, std::string& out);

}  // namespace lockstep::promql
