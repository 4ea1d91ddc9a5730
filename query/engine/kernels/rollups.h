// What rollup() of MetricsQL and its kin compute of one window. Pure.
#pragma once

#include "query/engine/kernels/window_functions.h"

namespace lockstep::engine {

enum class RollupStatistic : uint8_t { kMin, kMax, kAvg };

// The lowest, highest or mean of the floats in the window (rollup), or of what lies between each of
// them and the one before it: their difference (rollup_delta), the increase of a counter, which
// begins again at 0 when it falls (rollup_increase), or either of them a second (rollup_deriv,
// rollup_rate). Precondition: `id` is one of these.
WindowFunction FindRollupFunction(promql::FunctionId id, RollupStatistic statistic);

// The increase of a counter in the range, from the newest sample at or before its start, or from 0
// if there is none; nothing is extrapolated. Precondition: the window has anchored edges.
WindowResult IncreasePure(const Window& window, const WindowContext& context);

}  // namespace lockstep::engine
