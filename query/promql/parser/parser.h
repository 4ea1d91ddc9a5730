// Parses PromQL texts to syntax trees.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

// How deep an expression may nest, and how many operators a chain may have. Deeper expressions,
// which nobody writes by hand, fail to parse, because the parser and all tree walks recurse.
inline constexpr int kMaxExprDepth = 512;

// The available functions: those of PromQL, or also some of MetricsQL (docs/metricsql.md).
enum class Dialect { kPromql, kMetricsql };

// Parses and type-checks one expression in the full language of Prometheus 3.14, including all
// experimental features. Returns kInvalidArgument with Prometheus' own text, "LINE:COLUMN: parse
// error: MESSAGE", for errors. Compiling regular expressions takes time and memory: `budget`, which
// may be null, can stop it; then its error or that of base/budget/memory_budget.h is returned.
absl::StatusOr<ExprPtr> ParseExpr(std::string_view query, const QueryBudget* budget = nullptr,
                                  Dialect dialect = Dialect::kMetricsql);

// Parses a series selector without modifiers, as in match[] parameters: `up{job="x"}`, `{a=~"b"}`.
// Unlike in an expression, all of its matchers may match the empty string; the caller decides
// whether to accept that.
absl::StatusOr<std::vector<Matcher>> ParseMetricSelector(std::string_view selector,
                                                         const QueryBudget* budget = nullptr);

// Parses a PromQL duration ("1h30m", "5m0s") to milliseconds. Returns kInvalidArgument if it is
// invalid.
absl::StatusOr<int64_t> ParseDurationMs(std::string_view text);

}  // namespace lockstep::promql
