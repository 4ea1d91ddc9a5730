// The rules of PromQL beyond the grammar: types, numbers of arguments, matching.
#pragma once

#include <string_view>

#include "base/status.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

// Fills in `type` in the whole tree and completes `matching` of its binary expressions. Reports the
// error that Prometheus would find first. `query` is the text of the tree.
absl::Status CheckTypes(std::string_view query, Expr& expr);

}  // namespace lockstep::promql
