// Compares a query's answer with what a script expects. Returns what is wrong, or an empty text.
#pragma once

#include <string>

#include "base/status.h"
#include "query/engine/values/value.h"
#include "tests/promqltest/script.h"

namespace lockstep::promqltest {

// Compares the value, the failure and the annotations.
std::string Compare(const EvalCommand& eval, const absl::StatusOr<engine::QueryResult>& answer);

// Whether the relative difference is at most 1e-6. NaN equals NaN; a stale marker equals only
// itself.
bool NumbersAgree(double a, double b);

}  // namespace lockstep::promqltest
