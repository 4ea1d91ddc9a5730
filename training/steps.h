// The steps of one attempt of a job, aligned: column n of every matrix is step number step[n].
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/task_pool.h"
#include "training/job.h"
#include "training/rank_matrix.h"

namespace lockstep::training {

// What a rank does during a phase of its step.
enum class PhaseKind {
  kData,           // waits for input
  kHostToDevice,   // copies input to the device
  kForward,        // computes
  kBackward,       // computes, and may hide or hold a wait for the other ranks
  kOptimizer,      // computes
  kCompute,        // computes, not said which part
  kCommunication,  // exchanges data with other ranks, the wait for them included
  kWait,           // waits for other ranks, and nothing else
  kCheckpoint,     // writes or reads a checkpoint
  kEvaluation,     // runs the model on held-out data
  kOther,          // logs, collects garbage
};

// The kind of a phase by the name that a trainer gives it: "data", "forward-compute",
// "allreduce_time_s"... kOther for a name that says nothing known.
PhaseKind PhaseKindOf(std::string_view name);
std::string_view PhaseKindName(PhaseKind kind);

// The first step of an attempt compiles kernels, and until about the tenth clocks fall by 3 % while
// the devices warm up.
inline constexpr int64_t kWarmUpSteps = 10;

// A step that takes this many times longer than its work explains is out of the ordinary.
inline constexpr double kHangFactor = 10.0;

struct PhaseColumn {
  std::string name;
  PhaseKind kind = PhaseKind::kOther;
  RankMatrix seconds;
};

// Plain data. Every matrix is empty (not reported) or has a row per rank of the job and a column per
// step.
struct StepTable {
  std::vector<int64_t> step;       // ascending
  std::vector<int64_t> end_ms;     // when the last rank ended the step, Unix time
  int64_t attempt_first_step = 0;  // the first steps of an attempt are warm-up

  RankMatrix step_seconds;
  // Of the job, as JobStepSeconds() finds them: for who asks it often. Empty, or of these `step_seconds`.
  std::vector<double> job_step_seconds;
  std::vector<PhaseColumn> phases;
  RankMatrix own_seconds;  // all work but waiting, where a rank reports it as one number

  RankMatrix loss;
  RankMatrix gradient_norm;
  RankMatrix memory_allocated_bytes;
  RankMatrix model_flops;  // floating point operations of the rank in this step
  RankMatrix tokens;       // of the whole job in this step

  size_t size() const { return step.size(); }
};

// The steps that ended in `time`. The attempt they are of began when it did.
StepTable StepsIn(const StepTable& table, const TimeRange& time);

// Sums phases of the given kinds. A rank and step that lacks one of them is unknown, except for
// checkpoints, evaluations and others, which trainers report only when they happen: those are then
// zero. Empty if the table has no phase of any of these kinds.
RankMatrix SumOfPhases(const StepTable& table, std::initializer_list<PhaseKind> kinds,
                       TaskPool* pool = nullptr);

bool HasPhase(const StepTable& table, PhaseKind kind);

// Median over ranks of the time each step took; unknown for steps that no rank reports.
std::vector<double> JobStepSeconds(const StepTable& table, TaskPool* pool = nullptr);

// When step n began: where the one before it ended, or its own length before its end.
int64_t StepBeginMs(const StepTable& table, size_t n);

}  // namespace lockstep::training
