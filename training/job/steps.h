// The steps of one attempt of a job, aligned: column n of every matrix is step number step[n].
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/task_pool.h"
#include "training/job/job.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// What a rank does during a phase of its step.
enum class PhaseKind {
  kData,           // waits for input
  kHostToDevice,   // copies input to the device
  kForward,        // computes
  kBackward,       // computes, and may hide or include a wait for other ranks
  kOptimizer,      // computes
  kCompute,        // computes, in an unspecified part
  kCommunication,  // exchanges data with other ranks, including the wait for them
  kWait,           // only waits for other ranks
  kCheckpoint,     // writes or reads a checkpoint
  kEvaluation,     // runs the model on held-out data
  kOther,          // logs, collects garbage
};

// The kind of a phase from the trainer's name for it: "data", "forward-compute",
// "allreduce_time_s"... kOther for an unknown name.
PhaseKind PhaseKindOf(std::string_view name);

// The first step of an attempt compiles kernels, and until about the tenth clocks fall by 3 % while
// the devices warm up.
inline constexpr int64_t kWarmUpSteps = 10;

// A step that takes this many times longer than its work explains is abnormal.
inline constexpr double kHangFactor = 10.0;

struct PhaseColumn {
  std::string name;
  PhaseKind kind = PhaseKind::kOther;
  RankMatrix seconds;
};

// Each matrix is empty (not reported) or has one row per rank of the job and one column per step.
struct StepTable {
  std::vector<int64_t> step;       // ascending
  std::vector<int64_t> end_ms;     // when the last rank ended the step, Unix time
  int64_t attempt_first_step = 0;  // the first steps of an attempt are warm-up

  RankMatrix step_seconds;
  // Cached JobStepSeconds(); empty or consistent with `step_seconds`.
  std::vector<double> job_step_seconds;
  std::vector<PhaseColumn> phases;
  RankMatrix own_seconds;  // all time except waiting, if reported as one number

  RankMatrix loss;
  RankMatrix gradient_norm;
  RankMatrix memory_allocated_bytes;
  RankMatrix model_flops;  // floating point operations of the rank in this step
  RankMatrix tokens;       // of the whole job in this step

  size_t size() const { return step.size(); }
};

// Returns the steps that ended in `time`. The begin of the attempt is unchanged.
StepTable StepsIn(const StepTable& table, const TimeRange& time);

// Sums phases of the given kinds. The sum is unknown for a rank and step that lacks one of them,
// except that missing checkpoints, evaluations and others count as zero, because trainers report
// them only when they happen. Empty if the table has no phase of any of these kinds.
RankMatrix SumOfPhases(const StepTable& table, std::initializer_list<PhaseKind> kinds,
                       TaskPool* pool = nullptr);

bool HasPhase(const StepTable& table, PhaseKind kind);

// Median over ranks of each step's duration; unknown for steps that no rank reports.
std::vector<double> JobStepSeconds(const StepTable& table, TaskPool* pool = nullptr);

// When step n began: the end of the previous step or, if that is unknown, its own end minus its
// duration.
int64_t StepBeginMs(const StepTable& table, size_t n);

}  // namespace lockstep::training
