// A synthetic synchronous job: each rank pushes its steps in batches, at its own times, and one
// rank becomes slow.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tests/live/replay.h"

namespace lockstep::live {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Seconds count from the beginning of the job.
struct MadeJob {
  std::string name = "made";
  size_t ranks = 16;
  double step_s = 0.18;  // the work of a rank in one step
  double seconds = 70;
  double onset_s = 25;
  double until_s = kNever;
  double late = 0.3;                // as a share of a step
  std::string phase = "data_load";  // the phase in which the slow rank is late
  double batch_s = 1;
  double slow_sender_s = 0;      // delay of one innocent rank's pushes
  double dead_at_s = kNever;     // when that rank's sender stops
  double back_at_s = kNever;     // when it sends what it has buffered
  double joins_at_s = 0;         // when another innocent rank's sender starts
  double restart_at_s = kNever;  // all ranks stop; 5 s later they resume from 10 s before
  int64_t stride = 1;            // the innocent rank reports every `stride`-th step
  bool sends_twice = false;      // every push arrives a second time, later
  uint32_t seed = 1;
};

struct MadeTruth {
  int64_t slow_rank = 0;
  int64_t innocent_rank = 0;
  int64_t begin_ms = 0;
  int64_t onset_ms = 0;  // when the first slow step begins
};

MadeTruth AddMadeJob(const MadeJob& job, Replay& replay);

}  // namespace lockstep::live
