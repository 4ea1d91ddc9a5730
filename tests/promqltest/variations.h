// Variations of an instant eval that must have the same result: a range query around its time, and
// queries with `@ TIME` on every selector at other times.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "query/engine/values/value.h"
#include "tests/promqltest/script.h"

namespace lockstep::promqltest {

struct Variation {
  std::string name;
  EvalCommand asked;     // what to execute
  EvalCommand expected;  // what the result of AtMiddleStep() must be
};

// Empty for range evals and for evals whose result would change: failures, ordered results, and
// queries that depend on their own start, end or step.
std::vector<Variation> VariationsOf(const EvalCommand& eval);

// Converts the result of a range query to that of an instant query at its middle step. Returns any
// other result unchanged.
absl::StatusOr<engine::QueryResult> AtMiddleStep(const Variation& variation,
                                                 absl::StatusOr<engine::QueryResult> answer);

}  // namespace lockstep::promqltest
