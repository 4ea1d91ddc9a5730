// The starts of a job, as one of its ranks numbered its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "training/job.h"

namespace lockstep::answers {

// A step of one rank.
struct StepMark {
  int64_t time_ms = 0;  // when it ended
  int64_t step = 0;
  std::optional<int64_t> attempt = {};  // where the rank says it

  bool operator==(const StepMark&) const = default;
};

struct AttemptSpan {
  training::TimeRange time = {};  // from the end of its first step to that of its last
  int64_t first_step = 0;
  int64_t last_step = 0;
  std::optional<int64_t> label = {};  // of the attempt, where the rank says it

  bool operator==(const AttemptSpan&) const = default;
};

// The rank whose step numbers tell a job's attempts: the lowest of those that have begun the latest attempt that any
// rank says. When a job starts again, its ranks report at different moments.
class NumberingRank {
 public:
  void Learn(int64_t rank, std::optional<int64_t> attempt);
  std::optional<int64_t> rank() const { return rank_; }

 private:
  std::optional<int64_t> rank_;
  int64_t attempt_ = -1;  // -1: not said
};

// In order of time; where the step falls, or the attempt that is said grows, a new one begins. `marks` may be in
// any order and may leave out steps in the middle of an attempt.
std::vector<AttemptSpan> AttemptsOf(std::vector<StepMark> marks);

}  // namespace lockstep::answers
