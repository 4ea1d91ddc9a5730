// Whether a query's answer is what a script expects. An empty text: it is; else what is wrong.
#pragma once

#include <string>

#include "base/status.h"
#include "query/engine/value.h"
#include "tests/promqltest/script.h"

namespace lockstep::promqltest {

// The value, the failure and the annotations of `eval`.
std::string Compare(const EvalCommand& eval, const absl::StatusOr<engine::QueryResult>& answer);

// Numbers agree up to a relative difference of 1e-6; NaN equals NaN, but a stale marker only itself.
bool NumbersAgree(double a, double b);

}  // namespace lockstep::promqltest
