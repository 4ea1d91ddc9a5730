// Tokens of a template: the text between actions, and the tokens within actions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::rules {

enum class TokenKind {
  kText,        // outside actions
  kBegin,       // {{
  kEnd,         // }}
  kIdentifier,  // if, humanize, true, nil
  kField,       // .Labels, without the dot
  kDot,
  kVariable,  // $value, with the '$'
  kNumber,
  kString,  // unquoted value
  kPipe,
  kOpen,   // (
  kClose,  // )
  kComma,
  kDeclare,  // :=
  kAssign,   // =
  kSpace,
};

struct Token {
  TokenKind kind = TokenKind::kText;
  std::string text;
  int line = 1;
};

// Drops comments and applies trimming. Returns kInvalidArgument for invalid tokens.
absl::StatusOr<std::vector<Token>> LexTemplate(std::string_view text);

}  // namespace lockstep::rules
