// Finds what one process group waits for.
#pragma once

#include <optional>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "hang/find/hang_answer.h"
#include "hang/find/job_groups.h"

namespace lockstep::hang {

// The group's collectives: which ranks did not enter one in which others wait. Nothing if no
// collective of the group waits.
std::optional<Wait> FindCollectiveWait(const JobGroup& group);

// The first collective, among the operations that the dumps still have, in which ranks entered
// different things. Nothing if they agree, or went on for long after it.
// Takes long if ranks say nonsense, so it asks `budget`, if there is one, whether to stop.
absl::StatusOr<std::optional<Wait>> FindMismatch(const JobGroup& group, QueryBudget* budget);

// Sends and receives that wait for a rank that did not enter the counterpart.
absl::StatusOr<std::vector<Wait>> FindPeerWaits(const JobGroup& group, QueryBudget* budget);

}  // namespace lockstep::hang
