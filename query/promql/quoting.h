// String literals, in and out: Go's notation, which PromQL shares.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::promql {

// One UTF-8 character at the start of a text.
struct DecodedChar {
  static constexpr char32_t kInvalid = 0xFFFFFFFF;
  char32_t code_point = kInvalid;  // kInvalid for a byte that starts no well-formed character
  size_t size = 1;                 // bytes
};
// Precondition: `text` is not empty.
DecodedChar DecodeChar(std::string_view text);

// The first `count` characters of `text`.
std::string_view FirstChars(std::string_view text, size_t count);

// "..." with everything escaped that is not printable or not UTF-8: Go's %q.
std::string Quote(std::string_view text);
// 'x', as Go's %q writes a character. kInvalid stands for the end of the input, which Go shows as
// '�'.
std::string QuoteChar(char32_t code_point);

// The value of a literal that the lexer accepted; `literal` includes its quotes, of any kind.
std::string Unquote(std::string_view literal);

void AppendUtf8(char32_t code_point, std::string& out);

}  // namespace lockstep::promql
