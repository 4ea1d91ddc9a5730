// Syntax tree to text.
#pragma once

#include <cstdint>
#include <string>

#include "query/promql/ast.h"

namespace lockstep::promql {

// On one line, as Prometheus' Expr.String() prints it. Parsing the result gives an equal tree.
std::string Print(const Expr& expr);
// Over several indented lines where the expression is long, as /api/v1/format_query answers.
std::string PrintPretty(const Expr& expr);
// 90000 -> "1m30s", 0 -> "0s".
std::string PrintDurationMs(int64_t duration_ms);

}  // namespace lockstep::promql
