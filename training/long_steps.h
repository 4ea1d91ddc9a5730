// Steps that took far longer than their work explains, and what explains them instead.
//
// Checkpoints, evaluations and slow input make long steps in healthy jobs. Logged phases say so; where
// there are none, a device that goes on working, copies to the host, or a pause that comes back at
// regular intervals does. A long step that nothing explains is a hang if something shows that it was
// none of these; otherwise nobody can tell, for a wait that is not logged looks the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/devices.h"
#include "training/job.h"
#include "training/steps.h"

namespace lockstep::training {

enum class LongStepReason {
  kUnexplained,  // a hang, or a wait that is not logged
  kStartUp,      // among the first steps of an attempt: compiling, tuning, filling caches
  kCheckpoint,
  kEvaluation,  // logged, or a device that works all the time
  kInput,       // waits for data, or for copies of it
  kOtherPhase,  // another phase that the trainer logs; `phase` is its name
  kRecurring,   // a pause that comes back at regular intervals
};
std::string_view Name(LongStepReason reason);

struct LongStep {
  size_t column = 0;  // of the table
  TimeRange time = {};
  double seconds = 0;
  double usual_seconds = 0;  // of steps with as much work
  LongStepReason reason = LongStepReason::kUnexplained;
  std::string phase = {};  // that says so; empty: devices or repetition do
  // Of an unexplained one: somebody waited for a rank, the work itself took so long, or a device was
  // busy without work. Not set: no rank was waited for and no device did anything.
  bool is_hang = false;
};

// In order. `devices`: one per rank of the job, or none. The first step of an attempt is none of them.
std::vector<LongStep> FindLongSteps(const StepTable& table, std::span<const GpuCounters> devices);

// By column of the table: whether the step is one of `long_steps`.
std::vector<bool> MarkedColumns(const StepTable& table, std::span<const LongStep> long_steps);

}  // namespace lockstep::training
