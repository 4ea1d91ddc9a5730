// MetricsQL's rollup() and related functions for one window. Pure.
#pragma once

#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep::engine {

enum class RollupStatistic : uint8_t { kMin, kMax, kAvg };

// The lowest, highest or mean of the floats in the window (rollup), or of the change from each to
// the next: the difference (rollup_delta), the increase of a counter, which restarts from 0 if it
// decreases (rollup_increase), or either of them per second (rollup_deriv, rollup_rate).
// Precondition: `id` is one of these.
WindowFunction FindRollupFunction(promql::FunctionId id, RollupStatistic statistic);

// The increase of a counter in the range, from the newest sample at or before its start, or from 0
// if there is none, without extrapolation. Precondition: the window has anchored edges.
WindowResult IncreasePure(const Window& window, const WindowContext& context);

}  // namespace lockstep::engine
