// Which samples the value of an expression at one step depends on: what must not have changed for the value
// to be used again. A pure function.
#pragma once

#include <cstdint>
#include <optional>

#include "query/promql/ast.h"

namespace lockstep::cache {

// Those later than `before_ms` before the step, up to `after_ms` behind it. Either may be negative.
struct StepReach {
  int64_t before_ms = 0;
  int64_t after_ms = 0;
};

// nullopt if a step's value may also depend on which other steps are asked for: on the start or the end of
// the query, on times pinned by `@`, or on when it is seen that labels are in conflict.
std::optional<StepReach> ReachOf(const promql::Expr& expr, int64_t lookback_ms);

}  // namespace lockstep::cache
