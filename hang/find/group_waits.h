// Finds what one process group waits for.
#pragma once

#include <optional>
#include <vector>

#include "hang/find/hang_answer.h"
#include "hang/find/job_groups.h"

namespace lockstep::hang {

// The group's collectives: which ranks did not enter one in which others wait. Nothing if no
// collective of the group waits.
std::optional<Wait> FindCollectiveWait(const JobGroup& group);

// The first collective, among the operations that the dumps still have, in which ranks entered
// different things. Nothing if they agree, or went on for long after it.
std::optional<Wait> FindMismatch(const JobGroup& group);

// Sends and receives that wait for a rank that did not enter the counterpart.
std::vector<Wait> FindPeerWaits(const JobGroup& group);

}  // namespace lockstep::hang
