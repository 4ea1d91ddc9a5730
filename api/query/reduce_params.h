// The parameters `reduce` and `resolution` of range queries.
#pragma once

#include <cstdint>
#include <vector>

#include "api/http/form.h"
#include "base/status.h"
#include "query/engine/values/reduction.h"

namespace lockstep::api {

// The maximum number of steps of a range query, and of evaluations inside its bins.
inline constexpr int64_t kMaxPointsPerSeries = 11'000;

struct ReduceParams {
  std::vector<engine::Reduction> reductions;  // empty: no `reduce`
  int64_t resolution_ms = 0;                  // how often an expression is evaluated inside a bin
};

// The names in `reduce`, separated by commas, each once. An error is the complete message for the
// client.
absl::StatusOr<std::vector<engine::Reduction>> ReductionsOf(const Form& form);

// The same and the resolution, for bins of `step_ms` over `range_ms`. By default, a bin has ten
// evaluations, unless they would be less than a second apart or too many over the whole range.
absl::StatusOr<ReduceParams> ReduceParamsOf(const Form& form, int64_t range_ms, int64_t step_ms);

}  // namespace lockstep::api
