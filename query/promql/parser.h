// Text to syntax tree.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/query_budget.h"
#include "base/status.h"
#include "query/promql/ast.h"

namespace lockstep::promql {

// How deep an expression may nest, and how many operators may stand in one chain. Deeper ones,
// which no person writes, fail to parse: the parser and all that walk its trees recurse.
inline constexpr int kMaxExprDepth = 512;

// Which functions there are: those of PromQL, or some of MetricsQL besides (docs/metricsql.md).
enum class Dialect { kPromql, kMetricsql };

// Parses and type-checks one expression: the whole language of Prometheus 3.14 with every
// experimental part on. On failure kInvalidArgument with Prometheus' own text, "LINE:COLUMN: parse
// error: MESSAGE". Compiling regular expressions takes time and memory: `budget`, which may be null,
// can stop it, and its error or that of base/memory_budget.h is returned.
absl::StatusOr<ExprPtr> ParseExpr(std::string_view query, const QueryBudget* budget = nullptr,
                                  Dialect dialect = Dialect::kMetricsql);

// Parses a series selector without modifiers, as match[] parameters hold: `up{job="x"}`,
// `{a=~"b"}`. Unlike in an expression, all of its matchers may match the empty string: whether such
// a selector is welcome is the caller's to say.
absl::StatusOr<std::vector<Matcher>> ParseMetricSelector(std::string_view selector,
                                                         const QueryBudget* budget = nullptr);

// A duration as PromQL writes it ("1h30m", "5m0s") in milliseconds; kInvalidArgument otherwise.
absl::StatusOr<int64_t> ParseDurationMs(std::string_view text);

}  // namespace lockstep::promql
