// Which jobs there are, by what their series say of themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/job.h"

namespace lockstep::training {

// What the labels of one series say, and when it had samples. Empty or absent: the label is not there.
struct SeenSeries {
  std::string job;
  std::optional<int64_t> rank;
  std::string host;
  std::string gpu;
  std::string gpu_uuid;
  TimeRange time;
};

// How the ranks share the work. Zero: not known.
struct Parallelism {
  int64_t data = 0;
  int64_t tensor = 1;
  int64_t pipeline = 1;
  int64_t context = 1;
  int64_t micro_batch = 0;   // sequences
  int64_t global_batch = 0;  // sequences
};

struct DiscoveredJob {
  Job job;         // ranks in ascending order
  TimeRange seen;  // from the first to the last sample
  std::vector<std::string> warnings;
};

// Jobs by name. A series without a rank makes a job known but adds no rank to it.
std::vector<DiscoveredJob> DiscoverJobs(std::span<const SeenSeries> series);

// What does not fit together, in words: ranks that miss, a world size that is no product of its parts, a batch
// that cannot be divided. `reported_world_size` 0: not known.
std::vector<std::string> CheckJob(const Job& job, int64_t reported_world_size,
                                  const Parallelism& parallelism);

// Sets the pipeline stage of each rank, for ranks that count tensor, context, data, then pipeline, the
// quickest first. Does nothing if the parts do not make up the ranks.
void SetStages(const Parallelism& parallelism, Job& job);

enum class JobState { kRunning, kStalled, kEnded, kCrashed, kUnknown };
std::string_view Name(JobState state);

// What the state of a job was told by.
enum class JobStateReason {
  kSteps,      // one ended lately
  kBegin,      // it was announced lately
  kExit,       // an exit was recorded
  kPlan,       // all of its steps are done
  kProcesses,  // no step ends, and its processes say that they are there
  kDevices,    // no step ends, and its devices are still its own
  kSilence,    // nothing is heard any more
  kNothing,    // nothing was ever heard
};
std::string_view Name(JobStateReason reason);

struct JobSigns {
  int64_t now_ms = 0;
  std::optional<int64_t> last_step_end_ms = {};
  double usual_step_seconds = 0;
  std::optional<int64_t> last_device_sample_ms = {};  // that names the job
  std::optional<int64_t> last_step = {};
  std::optional<int64_t> planned_steps = {};
  std::optional<int64_t> begin_ms = {};  // of the latest start that was announced
  std::optional<int64_t> exit_ms =
      {};                   // of the job or, if it is only known of ranks, of the last of them
  bool has_failed = false;  // that exit
  std::optional<int64_t> alive_ms = {};  // when a process last said that it is there
};

struct JobCondition {
  JobState state = JobState::kUnknown;
  JobStateReason reason = JobStateReason::kNothing;
  int64_t since_ms = 0;  // stalled: no step has ended; ended or crashed: it is over. 0: not known
};

// Whether a process that exited at `exit_ms` did so after its last step. Half a second of slack: a clock is set back, and
// steps that were logged within one millisecond are dated a millisecond apart.
bool IsEndOf(int64_t exit_ms, int64_t last_step_end_ms);

// How long after a step the next one is overdue.
int64_t OverdueMs(double usual_step_seconds);

// Running: a step ended lately, or it has just begun. Stalled: no step ends, while its processes or devices are there.
// Ended or crashed: an exit was recorded, or nothing is heard any more and all planned steps were done, or not.
// Processes that say that they are there also say when they exit: if they fall silent, they crashed. Of a job that
// says neither, and has no plan, silence is taken for an end.
JobCondition ConditionOf(const JobSigns& signs);

}  // namespace lockstep::training
