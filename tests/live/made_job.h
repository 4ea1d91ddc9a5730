// A synchronous job that is made up: its ranks push their steps in batches, each at its own moment, and one of them
// becomes slow.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tests/live/replay.h"

namespace lockstep::live {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Seconds are counted from the job's begin.
struct MadeJob {
  std::string name = "made";
  size_t ranks = 16;
  double step_s = 0.18;  // of which a rank works
  double seconds = 70;
  double onset_s = 25;
  double until_s = kNever;
  double late = 0.3;                // of a step
  std::string phase = "data_load";  // in which the slow rank is late
  double batch_s = 1;
  double slow_sender_s = 0;      // by which one innocent rank's pushes are late
  double dead_at_s = kNever;     // when that rank's sender stops for good
  double back_at_s = kNever;     // when it sends what it has kept
  double joins_at_s = 0;         // when another innocent rank's sender begins to send
  double restart_at_s = kNever;  // all ranks stop, and go on from the step of 10 s before 5 s later
  int64_t stride = 1;            // the innocent rank reports every so many steps
  bool sends_twice = false;      // every push arrives once more, later
  uint32_t seed = 1;
};

struct MadeTruth {
  int64_t slow_rank = 0;
  int64_t innocent_rank = 0;
  int64_t begin_ms = 0;
  int64_t onset_ms = 0;  // the begin of the first slow step
};

MadeTruth AddMadeJob(const MadeJob& job, Replay& replay);

}  // namespace lockstep::live
