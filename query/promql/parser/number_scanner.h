// Finds the extent of a number or duration at the start of a text.
#pragma once

#include <cstddef>
#include <string_view>

#include "query/promql/parser/token.h"

namespace lockstep::promql {

struct ScannedNumber {
  TokenKind kind = TokenKind::kError;  // kNumber or kDuration; kError if it is neither
  size_t size = 0;                     // bytes; for kError, up to the error
};

// Checks only the characters of the literal; ParseNumber() and ParseDurationMs() do the full check.
// Precondition: `text` starts with a digit, or with a dot and a digit.
ScannedNumber ScanNumberOrDuration(std::string_view text);

}  // namespace lockstep::promql
