// Tokens of a template: the text between actions, and what stands in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::rules {

enum class TokenKind {
  kText,        // outside of actions
  kBegin,       // {{
  kEnd,         // }}
  kIdentifier,  // if, humanize, true, nil
  kField,       // .Labels, without its dot
  kDot,
  kVariable,  // $value, with its '$'
  kNumber,
  kString,  // what its quotes mean
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

// Comments are left out and trimming is done. kInvalidArgument for what is no token.
absl::StatusOr<std::vector<Token>> LexTemplate(std::string_view text);

}  // namespace lockstep::rules
