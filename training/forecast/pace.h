// How fast a job makes steps, and when it will have made the rest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "training/bottlenecks/long_steps.h"
#include "training/efficiency/ledger.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// FindLongSteps() of each attempt.
using LongStepsOfAttempts = std::vector<std::vector<LongStep>>;
LongStepsOfAttempts FindLongStepsOf(std::span<const Attempt> attempts);

// Wall-clock seconds for each step after warm-up, pauses between steps included.
struct Pace {
  size_t steps = 0;                    // that it was measured on
  double seconds_per_step = kUnknown;  // checkpoints, evaluations and other pauses included
  double fast = kUnknown;              // of the fastest tenth of stretches of steps
  double slow = kUnknown;              // of the slowest tenth
};

// The newest half of the steps says how long a step takes, all of them what checkpoints,
// evaluations and pauses add to it. Long steps that nothing explains count as ordinary ones: a hang
// is no habit. Unknown before 20 steps; `fast` and `slow` before 60.
Pace PaceOf(std::span<const Attempt> attempts, const LongStepsOfAttempts& long_steps);

// How often the job was interrupted, and what that cost each time.
struct Interruptions {
  size_t count = 0;  // attempts that another one followed, whatever ended them
  double running_seconds = 0;
  double mean_seconds_between = kUnknown;  // unknown without interruptions
  // The mean is at least this with a confidence of 95 %: known without interruptions.
  double at_least_seconds_between = kUnknown;
  double restart_seconds = kUnknown;  // from the last step before to the first step after, median
};

Interruptions InterruptionsOf(std::span<const Attempt> attempts);

struct TimeLeft {
  double seconds = kUnknown;
  double earliest_seconds = kUnknown;  // at the fast pace, without interruptions
  double latest_seconds = kUnknown;    // at the slow pace, with more interruptions than expected
  double interruptions = kUnknown;     // expected until the end
};

// `lost_seconds` is what an interruption takes: the restart, and steps that are done again.
TimeLeft TimeLeftOf(const Pace& pace, double steps_left, double mean_seconds_between,
                    double lost_seconds);

}  // namespace lockstep::training
