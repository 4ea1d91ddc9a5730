// Which training jobs the store knows, and how they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/job_loader.h"
#include "answers/loaded_job.h"
#include "training/discovery.h"

namespace lockstep::answers {

struct JobListQuery {
  std::string name = {};  // "": all
  TimeRange time = kAllTimes;
  int64_t now_ms = 0;
};

// What of a job is stored.
struct JobSignals {
  bool steps = false;
  bool phases = false;
  bool devices = false;
};

struct ListedJob {
  training::Job job;
  std::vector<std::string> gpu_models;  // of the ranks
  training::JobState state = training::JobState::kUnknown;
  training::TimeRange time;  // from the first to the last that is stored
  std::vector<AttemptSpan> attempts;
  int64_t world_size = 0;
  JobFacts facts;
  JobSignals signals;
  std::vector<std::string> warnings;
};

// The latest first. Errors as LoadJob's; no job is no error.
absl::StatusOr<std::vector<ListedJob>> ListJobs(const JobListQuery& query,
                                                const LoadContext& context);

}  // namespace lockstep::answers
