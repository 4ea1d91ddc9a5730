// The rules of PromQL that the grammar does not know: types, numbers of arguments, matching.
#pragma once

#include <string_view>

#include "base/status.h"
#include "query/promql/ast.h"

namespace lockstep::promql {

// Fills in `type` in the whole tree and settles `matching` of its binary expressions. Reports the
// error that Prometheus would find first. `query` is the text that the tree came from.
absl::Status CheckTypes(std::string_view query, Expr& expr);

}  // namespace lockstep::promql
