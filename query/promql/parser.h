// Text to syntax tree.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/promql/ast.h"

namespace lockstep::promql {

// Parses and type-checks one expression: the whole language of Prometheus 3.14 with every experimental
// part on. On failure kInvalidArgument with Prometheus' own text, "LINE:COLUMN: parse error: MESSAGE".
absl::StatusOr<ExprPtr> ParseExpr(std::string_view query);

// Parses a series selector without modifiers, as match[] parameters hold: `up{job="x"}`, `{a=~"b"}`.
absl::StatusOr<std::vector<Matcher>> ParseMetricSelector(std::string_view selector);

// A duration as PromQL writes it ("1h30m", "5m0s") in milliseconds; kInvalidArgument otherwise.
absl::StatusOr<int64_t> ParseDurationMs(std::string_view text);

}  // namespace lockstep::promql
