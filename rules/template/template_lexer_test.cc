#include "rules/template/template_lexer.h"

#include <gtest/gtest.h>

#include <array>

#include "absl/strings/str_format.h"

namespace lockstep::rules {
namespace {

// Each token as its kind, and "=text" where it has one, or the error.
std::string Lexed(std::string_view text) {
  constexpr std::array kKinds = {"text", "{{", "}}", "word", "field", ".", "var", "num",
                                 "str",  "|",  "(",  ")",    ",",     ":", "=",   "_"};
  const auto tokens = LexTemplate(text);
  if (!tokens.ok()) return std::string(tokens.status().message());
  std::string lexed;
  for (const Token& token : *tokens) {
    if (!lexed.empty()) lexed += " ";
    lexed += kKinds[static_cast<size_t>(token.kind)];
    const bool is_sign = token.kind >= TokenKind::kPipe || token.kind == TokenKind::kDot;
    if (!is_sign && !token.text.empty()) absl::StrAppendFormat(&lexed, "=%s", token.text);
  }
  return lexed;
}

struct Row {
  std::string_view text;
  std::string_view expected;
};

void Check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) EXPECT_EQ(Lexed(row.text), row.expected) << row.text;
}

TEST(TemplateLexerTest, TextAndTokens) {
  Check({
      {"", ""},
      {"a } { b", "text=a } { b"},
      {"a{{.X}}b", "text=a {{ field=X }} text=b"},
      {"{{ . }}", "{{ _ . _ }}"},
      {"{{$x:=1}}", "{{ var=$x : num=1 }}"},
      {"{{$=f(1,2)|g}}", "{{ var=$ = word=f ( num=1 , num=2 ) | word=g }}"},
      {"{{1.5e-3 -2 .5 +1 0x1F 1e+9}}",
       "{{ num=1.5e-3 _ num=-2 _ num=.5 _ num=+1 _ num=0x1F _ "
       "num=1e+9 }}"},
      {"{{.Aä_1.b}}", "{{ field=Aä_1 field=b }}"},
  });
}

TEST(TemplateLexerTest, Strings) {
  Check({
      {R"({{"a\"}}\n"}})", "{{ str=a\"}}\n }}"},
      {"{{`a\"\\n`}}", "{{ str=a\"\\n }}"},
      {"{{`a\nb`}}", "{{ str=a\nb }}"},
      {R"({{""}})", "{{ str }}"},
      {R"({{"a}})", "line 1: a string is not closed"},
      {R"({{"a\)", "line 1: a string is not closed"},
      {"{{\"a\n\"}}", "line 1: a string is not closed"},
      {"{{`a}}", "line 1: a string is not closed"},
  });
  EXPECT_FALSE(LexTemplate(R"({{"\q"}})").ok());
}

TEST(TemplateLexerTest, AnActionTrimsTheTextBesideIt) {
  Check({
      {" a {{- .X -}} b ", "text= a {{ _ field=X }} text=b "},
      {"a\t\r\n {{- .X}} b", "text=a {{ _ field=X }} text= b"},
      {" \n{{- .X -}}\n ", "{{ _ field=X }}"},
      // Each action trims for itself.
      {"{{1 -}} a {{2}} b", "{{ num=1 }} text=a  {{ num=2 }} text= b"},
      // A number, not a trimming action.
      {"a {{-3}}", "text=a  {{ num=-3 }}"},
      {"a {{-", "line 1: unexpected '-' in an action"},
      {"{{3-}}", "line 1: unexpected '-' in an action"},
  });
}

TEST(TemplateLexerTest, CommentsAreLeftOut) {
  Check({
      {"a {{/* }} */}} b", "text=a  text= b"},
      {"a {{- /* c */ -}} b", "text=a text=b"},
      {"{{/* a", "line 1: a comment is not closed with */"},
      {"{{/* a */ b}}", "line 1: a comment must fill its whole action"},
  });
}

TEST(TemplateLexerTest, ErrorsHaveTheLine) {
  Check({
      {"{{a", "line 1: an action is not closed with }}"},
      {"{{", "line 1: an action is not closed with }}"},
      {"{{a:b}}", "line 1: unexpected ':' in an action"},
      {"a\n\n{{#}}", "line 3: unexpected '#' in an action"},
      {"{{ .\n\n # }}", "line 3: unexpected '#' in an action"},
      {"{{/* a\n */}}{{#}}", "line 2: unexpected '#' in an action"},
      {"{{`a\n`#}}", "line 2: unexpected '#' in an action"},
      {"a\n{{- .X -}}\n{{#}}", "line 3: unexpected '#' in an action"},
  });
}

TEST(TemplateLexerTest, TokensHaveTheirLine) {
  const auto tokens = LexTemplate("a\nb{{.X\n}}\nc");
  ASSERT_TRUE(tokens.ok());
  std::vector<int> lines;
  for (const Token& token : *tokens) lines.push_back(token.line);
  // a b, {{, X, the line end, }}, and the text that begins behind it.
  EXPECT_EQ(lines, (std::vector<int>{1, 2, 2, 2, 3, 3}));
}

}  // namespace
}  // namespace lockstep::rules
