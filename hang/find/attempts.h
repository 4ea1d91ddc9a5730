// Tells dumps of the newest attempt of a job from those that an earlier one left behind.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hang/find/hang_answer.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {

struct NewestAttempt {
  std::vector<const RankRecord*> records;  // by rank; those without a dump are left out
  std::vector<SetAside> set_aside;
  std::vector<std::string> remarks;
};

// All ranks of an attempt enter a collective within its timeout, so the times of the operations
// tell attempts apart, even if hosts' clocks differ by seconds.
NewestAttempt SelectNewestAttempt(std::span<const RankRecord> records);

}  // namespace lockstep::hang
