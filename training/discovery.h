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

struct JobSigns {
  int64_t now_ms = 0;
  std::optional<int64_t> last_step_end_ms = {};
  double usual_step_seconds = 0;
  std::optional<int64_t> last_device_sample_ms = {};  // that names the job
  std::optional<int64_t> last_step = {};
  std::optional<int64_t> planned_steps = {};
};

// Running: a step ended lately. Stalled: its devices are still its own. Ended or crashed: they are not, and all
// steps were done, or not. Without a plan, a job that went is taken to have ended.
JobState StateOf(const JobSigns& signs);

}  // namespace lockstep::training
