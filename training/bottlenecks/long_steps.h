// Finds steps that took far longer than their work explains, and their causes.
//
// Checkpoints, evaluations and slow input cause long steps in healthy jobs. Logged phases show
// that, or else a device that keeps working, copies to the host, or pauses that recur at regular
// intervals. An unexplained long step is a hang if there is evidence for it; otherwise it is
// undecided, because a wait that is not logged looks the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/devices/devices.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

enum class LongStepReason {
  kUnexplained,  // a hang, or a wait that is not logged
  kStartUp,      // among the first steps of an attempt: compiling, tuning, filling caches
  kCheckpoint,
  kEvaluation,  // logged, or a device that works throughout
  kInput,       // waits for data, or for copies of it
  kOtherPhase,  // another phase that the trainer logs, named by `phase`
  kRecurring,   // a pause that recurs at regular intervals
};

struct LongStep {
  size_t column = 0;  // of the table
  TimeRange time = {};
  double seconds = 0;
  double usual_seconds = 0;  // of steps with the same amount of work
  LongStepReason reason = LongStepReason::kUnexplained;
  std::string phase = {};  // the phase that explains it; empty: devices or recurrence do
  // For unexplained steps: others waited for a rank, the work itself took this long, or a device
  // was busy without doing work. False if no rank was waited for and no device did anything.
  bool is_hang = false;
};

// Returns long steps in order, never the first step of an attempt. `devices` has one element per
// rank of the job, or is empty.
std::vector<LongStep> FindLongSteps(const StepTable& table, std::span<const GpuCounters> devices);

// By column of the table: whether the step is in `long_steps`.
std::vector<bool> MarkedColumns(const StepTable& table, std::span<const LongStep> long_steps);

}  // namespace lockstep::training
