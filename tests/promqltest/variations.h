// Other ways to ask what an instant eval asks, with answers that must be the same: as a range query
// around its time, and with `@ TIME` on every selector, asked at other times.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "query/engine/value.h"
#include "tests/promqltest/script.h"

namespace lockstep::promqltest {

struct Variation {
  std::string name;
  EvalCommand asked;     // what to execute
  EvalCommand expected;  // what the answer, as of its middle step, is compared with
};

// None for range evals, and for what may not be varied: failures, order, texts that ask for the
// query's own times.
std::vector<Variation> VariationsOf(const EvalCommand& eval);

// The answer of a range query as that of an instant query at its middle step; any other is unchanged.
absl::StatusOr<engine::QueryResult> AtMiddleStep(const Variation& variation,
                                                 absl::StatusOr<engine::QueryResult> answer);

}  // namespace lockstep::promqltest
