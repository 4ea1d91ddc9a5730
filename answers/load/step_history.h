// Finds the attempts of a job from one rank's step numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "training/job/job.h"

namespace lockstep::answers {

// A step of one rank.
struct StepMark {
  int64_t time_ms = 0;  // when it ended
  int64_t step = 0;
  std::optional<int64_t> attempt = {};  // if the rank reports it

  bool operator==(const StepMark&) const = default;
};

struct AttemptSpan {
  TimeRange time = {};  // from the end of its first step to that of its last
  int64_t first_step = 0;
  int64_t last_step = 0;
  std::optional<int64_t> label = {};  // attempt label, if the rank reports it

  bool operator==(const AttemptSpan&) const = default;
};

// Chooses the rank whose step numbers define a job's attempts: the lowest rank that has begun the
// latest reported attempt. After a restart, ranks begin to report at different times.
class NumberingRank {
 public:
  void Learn(int64_t rank, std::optional<int64_t> attempt);
  std::optional<int64_t> rank() const { return rank_; }

 private:
  std::optional<int64_t> rank_;
  int64_t attempt_ = -1;  // -1 if not reported
};

// Returns attempts in time order. A new one begins where the step decreases or the reported attempt
// increases. `marks` may be in any order and may skip steps in the middle of an attempt.
std::vector<AttemptSpan> AttemptsOf(std::vector<StepMark> marks);

}  // namespace lockstep::answers
