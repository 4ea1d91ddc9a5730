// What the searches for waits have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hang/find/hang_answer.h"
#include "hang/find/job_groups.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {

inline bool IsWaiting(const Operation& operation) {
  return operation.state != OperationState::kCompleted;
}

// Whether the rank waits in any operation that it entered.
bool WaitsSomewhere(const RankRecord& record);

// A wait in this operation of the group, without ranks.
Wait WaitIn(const JobGroup& group, const RankRecord& record, const Operation& operation);

// A rank that others wait for: where it is, and the last operation that it entered in the group.
AbsentRank AbsentOf(const Member& member);

// The line of code of a stack: the innermost frame outside of PyTorch and Python's own library.
std::string LineOf(const RankRecord& record);

}  // namespace lockstep::hang
