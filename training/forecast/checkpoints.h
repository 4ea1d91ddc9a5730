// What checkpoints cost a job, and how often it had best write them.
#pragma once

#include <cstddef>
#include <span>

#include "training/efficiency/ledger.h"
#include "training/forecast/pace.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// The time between checkpoints goes from the end of one to the end of the next.
struct Checkpoints {
  size_t count = 0;
  double seconds = kUnknown;           // that the job waits for one, median
  double interval_seconds = kUnknown;  // median
  double interval_steps = kUnknown;    // median
};

// Checkpoints that the trainer logs as a phase, or else long steps that are explained as such.
Checkpoints CheckpointsOf(std::span<const Attempt> attempts, const LongStepsOfAttempts& long_steps);

// The share of time that is lost: writing checkpoints, and, once in `mean_seconds_between`, a
// restart and on average half an interval of steps that are done again (Young, CACM 17(9), 1974).
double LostShare(double interval_seconds, double checkpoint_seconds, double mean_seconds_between,
                 double restart_seconds);

// The interval with the least lost time (Daly, FGCS 22(3), 2006, equation 37, plus the time of the
// checkpoint itself).
double BestIntervalSeconds(double checkpoint_seconds, double mean_seconds_between);

}  // namespace lockstep::training
