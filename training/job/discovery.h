// Whether the parts of a job fit together, and what state it is in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/job/job.h"

namespace lockstep::training {

// How the ranks divide the work. 0 means unknown.
struct Parallelism {
  int64_t data = 0;
  int64_t tensor = 1;
  int64_t pipeline = 1;
  int64_t context = 1;
  int64_t micro_batch = 0;   // sequences
  int64_t global_batch = 0;  // sequences
};

// Returns warnings about inconsistencies: missing ranks, a world size that is not the product of
// its parts, an indivisible batch. A `reported_world_size` of 0 means unknown.
std::vector<std::string> CheckJob(const Job& job, int64_t reported_world_size,
                                  const Parallelism& parallelism);

// Sets the pipeline stage of each rank, assuming that ranks are numbered by tensor, context, data
// and pipeline, fastest first. Does nothing if the product of the parts is not the number of ranks.
void SetStages(const Parallelism& parallelism, Job& job);

enum class JobState { kRunning, kStalled, kEnded, kCrashed, kUnknown };
std::string_view Name(JobState state);

// The evidence for a job's state.
enum class JobStateReason {
  kSteps,      // a step ended recently
  kBegin,      // its start was announced recently
  kExit,       // an exit was recorded
  kPlan,       // all planned steps are done
  kProcesses,  // no step ends, but its processes report that they are alive
  kDevices,    // no step ends, but it still holds its devices
  kSilence,    // it stopped reporting
  kNothing,    // it never reported anything
};
std::string_view Name(JobStateReason reason);

struct JobSigns {
  int64_t now_ms = 0;
  std::optional<int64_t> last_step_end_ms = {};
  double usual_step_seconds = 0;
  std::optional<int64_t> last_device_sample_ms = {};  // last sample that names the job
  std::optional<int64_t> last_step = {};
  std::optional<int64_t> planned_steps = {};
  std::optional<int64_t> begin_ms = {};  // the latest announced start
  std::optional<int64_t> exit_ms =
      {};                   // exit of the job or, if only ranks report exits, of the last rank
  bool has_failed = false;  // whether that exit was a failure
  std::optional<int64_t> alive_ms = {};  // when a process last reported that it is alive
};

struct JobCondition {
  JobState state = JobState::kUnknown;
  JobStateReason reason = JobStateReason::kNothing;
  int64_t since_ms = 0;  // when it stalled, ended or crashed; 0 if unknown
};

// Whether an exit at `exit_ms` came after the last step. Allows half a second of slack: a clock may
// be set back, and steps logged within one millisecond get timestamps a millisecond apart.
bool IsEndOf(int64_t exit_ms, int64_t last_step_end_ms);

// How long after a step the next one counts as overdue.
int64_t OverdueMs(double usual_step_seconds);

// Running: a step ended recently, or the job has just begun. Stalled: no step ends, but its
// processes or devices are still there. Ended or crashed: an exit was recorded, or the job went
// silent with all planned steps done (ended) or not (crashed). Processes that report that they are
// alive also report their exit, so silence means a crash. For a job without such reports and
// without a plan, silence means that it ended.
JobCondition ConditionOf(const JobSigns& signs);

}  // namespace lockstep::training
