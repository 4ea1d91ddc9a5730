// Finds how far a number or a duration reaches at the start of a text.
#pragma once

#include <cstddef>
#include <string_view>

#include "query/promql/token.h"

namespace lockstep::promql {

struct ScannedNumber {
  TokenKind kind = TokenKind::kError;  // kNumber, kDuration; kError when it is neither
  size_t size = 0;                     // bytes; for kError up to where the trouble is
};

// Precondition: `text` starts with a digit, or with a dot and a digit. The literal is well-formed
// only as far as its characters go: ParseNumber and ParseDurationMs have the last word.
ScannedNumber ScanNumberOrDuration(std::string_view text);

}  // namespace lockstep::promql
