#include "query/promql/syntax/quoting.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace lockstep::promql {
namespace {

std::string Encoded(char32_t code_point) {
  std::string out;
  AppendUtf8(code_point, out);
  return out;
}

// The first and the last character of each length, as in RFC 3629.
TEST(QuotingTest, CharactersAreEncodedAndDecoded) {
  const std::pair<char32_t, std::string_view> cases[] = {
      {0x01, "\x01"},
      {0x7F, "\x7F"},
      {0x80, "\xC2\x80"},
      {0xE9, "\xC3\xA9"},
      {0x7FF, "\xDF\xBF"},
      {0x800, "\xE0\xA0\x80"},
      {0x20AC, "\xE2\x82\xAC"},
      {0xD7FF, "\xED\x9F\xBF"},
      {0xE000, "\xEE\x80\x80"},
      {0xFFFF, "\xEF\xBF\xBF"},
      {0x10000, "\xF0\x90\x80\x80"},
      {0x1F600, "\xF0\x9F\x98\x80"},
      {0x10FFFF, "\xF4\x8F\xBF\xBF"},
  };
  for (const auto& [code_point, text] : cases) {
    EXPECT_EQ(Encoded(code_point), text);
    const DecodedChar decoded = DecodeChar(std::string(text) + "x");
    EXPECT_EQ(decoded.code_point, code_point);
    EXPECT_EQ(decoded.size, text.size());
    // Without its last byte it is none.
    if (text.size() > 1) {
      EXPECT_EQ(DecodeChar(text.substr(0, text.size() - 1)).code_point, DecodedChar::kInvalid);
    }
  }
}

TEST(QuotingTest, BytesThatAreNoCharacterAreTakenAlone) {
  // A continuation, overlong forms, a surrogate, beyond the last, no such lead, a broken sequence.
  for (const std::string_view text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3x", "\xE2\x82x",
        "\xF0\x9F\x98x"}) {
    const DecodedChar decoded = DecodeChar(text);
    EXPECT_EQ(decoded.code_point, DecodedChar::kInvalid) << Quote(text);
    EXPECT_EQ(decoded.size, 1u);
  }
}

TEST(QuotingTest, FirstCharsCountsCharacters) {
  EXPECT_EQ(FirstChars("abc", 2), "ab");
  EXPECT_EQ(FirstChars("abc", 3), "abc");
  EXPECT_EQ(FirstChars("abc", 9), "abc");
  EXPECT_EQ(FirstChars("aé€x", 3), "aé€");
  EXPECT_EQ(FirstChars("\xFF\xFFx", 2), "\xFF\xFF");
  EXPECT_EQ(FirstChars("abc", 0), "");
}

// As Go's strconv.Quote().
TEST(QuotingTest, QuotesLikeGo) {
  EXPECT_EQ(Quote(""), "\"\"");
  EXPECT_EQ(Quote("it's \"x\" \\"), "\"it's \\\"x\\\" \\\\\"");
  EXPECT_EQ(Quote("\a\b\f\n\r\t\v"), R"("\a\b\f\n\r\t\v")");
  EXPECT_EQ(Quote("\x01\x1f \x7e\x7f"), "\"\\x01\\x1f ~\\x7f\"");
  EXPECT_EQ(Quote("aé€😀"), "\"aé€😀\"");
  EXPECT_EQ(Quote("\xff\xc3"), R"("\xff\xc3")");
}

// Control characters, spaces other than the usual one, formats, surrogates and private ones.
TEST(QuotingTest, WhatCannotBeSeenIsEscaped) {
  const std::pair<char32_t, std::string_view> cases[] = {
      {0x80, R"("\u0080")"},         {0xA0, R"("\u00a0")"},   {0xAD, R"("\u00ad")"},
      {0x1680, R"("\u1680")"},       {0x2000, R"("\u2000")"}, {0x200F, R"("\u200f")"},
      {0x2028, R"("\u2028")"},       {0x202F, R"("\u202f")"}, {0x205F, R"("\u205f")"},
      {0x206F, R"("\u206f")"},       {0x3000, R"("\u3000")"}, {0xE000, R"("\ue000")"},
      {0xF8FF, R"("\uf8ff")"},       {0xFEFF, R"("\ufeff")"}, {0xE0000, R"("\U000e0000")"},
      {0x10FFFD, R"("\U0010fffd")"},
  };
  for (const auto& [code_point, quoted] : cases) EXPECT_EQ(Quote(Encoded(code_point)), quoted);
  for (const char32_t code_point :
       {0xA1, 0xAC, 0xAE, 0x167F, 0x1681, 0x2010, 0x2027, 0x2030, 0x205E, 0x2070, 0x3001, 0xD7FF,
        0xF900, 0xFEFE, 0xFF01, 0x10000, 0x1F600}) {
    EXPECT_EQ(Quote(Encoded(code_point)), "\"" + Encoded(code_point) + "\"")
        << static_cast<uint32_t>(code_point);
  }
}

TEST(QuotingTest, QuotesACharacter) {
  EXPECT_EQ(QuoteChar('a'), "'a'");
  EXPECT_EQ(QuoteChar('\''), R"('\'')");
  EXPECT_EQ(QuoteChar('"'), "'\"'");
  EXPECT_EQ(QuoteChar('\\'), R"('\\')");
  EXPECT_EQ(QuoteChar('\n'), R"('\n')");
  EXPECT_EQ(QuoteChar(0x20AC), "'€'");
  EXPECT_EQ(QuoteChar(0xFFFF), "'\xEF\xBF\xBF'");
  EXPECT_EQ(QuoteChar(0xE0001), R"('\U000e0001')");
  EXPECT_EQ(QuoteChar(DecodedChar::kInvalid), "'\xEF\xBF\xBD'");
}

TEST(QuotingTest, UnquotesLiterals) {
  EXPECT_EQ(Unquote("\"\""), "");
  EXPECT_EQ(Unquote("'a\"b'"), "a\"b");
  EXPECT_EQ(Unquote(R"(`a\n"b'`)"), R"(a\n"b')");
  EXPECT_EQ(Unquote(R"("\a\b\f\n\r\t\v\\\"")"), "\a\b\f\n\r\t\v\\\"");
  EXPECT_EQ(Unquote(R"('it\'s')"), "it's");
  EXPECT_EQ(Unquote(R"("\x41\x7a\xC3\xa9")"), "Azé");
  EXPECT_EQ(Unquote(R"("<\101\377\000>")"), std::string("<A\xff\0>", 5));
  EXPECT_EQ(Unquote(R"("\u20ac-\u00E9\U0001F600.")"), "€-é😀.");
  EXPECT_EQ(Unquote(R"("a\tb\tc")"), "a\tb\tc");
}

}  // namespace
}  // namespace lockstep::promql
