// Parser errors with their position.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::promql {

// kInvalidArgument "LINE:COLUMN: parse error: MESSAGE". Lines and columns count from 1, columns in
// bytes. An empty query has no lines: "unknown position: ...".
absl::Status ParseError(std::string_view query, int position, std::string_view message);

}  // namespace lockstep::promql
