// Which samples the value of an expression at one step depends on. A value can be reused if these
// have not changed. A pure function.
#pragma once

#include <cstdint>
#include <optional>

#include "query/promql/syntax/ast.h"

namespace lockstep::cache {

// Samples later than `before_ms` before the step, up to `after_ms` after it. Either may be
// negative.
struct StepReach {
  int64_t before_ms = 0;
  int64_t after_ms = 0;
};

// nullopt if the value at a step may also depend on which other steps are requested: on the start
// or the end of the query, on times pinned by `@`, or on when a conflict between labels is
// detected.
std::optional<StepReach> ReachOf(const promql::Expr& expr, int64_t lookback_ms);

}  // namespace lockstep::cache
