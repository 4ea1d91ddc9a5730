// Which training jobs the store knows, and how they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/job_loader.h"
#include "answers/loaded_job.h"
#include "training/discovery.h"
#include "training/job_verdict.h"

namespace lockstep::answers {

struct JobListQuery {
  std::string name = {};  // "": all
  TimeRange time = kAllTimes;
  int64_t now_ms = 0;
  // For ListedJob::past: as many more steps are read.
  std::optional<TimeRange> past = {};
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
  training::JobSigns
      signs;  // as of JobListQuery::now_ms or the end of its time, if that is earlier
  training::JobCondition condition;  // by them
  std::vector<StepMark> past;        // steps of one rank in JobListQuery::past, in order of time
  training::TimeRange time;          // from the first to the last that is stored
  std::vector<AttemptSpan> attempts;
  int64_t world_size = 0;
  JobFacts facts;
  JobSignals signals;
  std::vector<std::string> warnings;
  // Judged over its last hour, or less of a large job. Absent unless it was asked for.
  std::optional<training::JobVerdictAnswer> verdict = {};
};

// As it was at `time_ms`, which is in the past of `job`: processes and devices that were there later were there then.
training::JobCondition ConditionAt(const ListedJob& job, int64_t time_ms);

// The latest first. Errors as LoadJob's; no job is no error.
absl::StatusOr<std::vector<ListedJob>> ListJobs(const JobListQuery& query,
                                                const LoadContext& context);

}  // namespace lockstep::answers
