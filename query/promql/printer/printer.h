// Prints syntax trees.
#pragma once

#include <cstdint>
#include <string>

#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

// Prints on one line, like Prometheus' Expr.String(). Parsing the result gives an equal tree.
std::string Print(const Expr& expr);
// Prints long expressions on several indented lines, like /api/v1/format_query.
std::string PrintPretty(const Expr& expr);
// 90000 -> "1m30s", 0 -> "0s".
std::string PrintDurationMs(int64_t duration_ms);

}  // namespace lockstep::promql
