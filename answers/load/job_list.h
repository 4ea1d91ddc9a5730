// Lists the training jobs in the store and their state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/job_loader.h"
#include "answers/load/loaded_job.h"
#include "training/job/discovery.h"
#include "training/job_verdict.h"

namespace lockstep::answers {

struct JobListQuery {
  std::string name = {};  // "" for all jobs
  TimeRange time = kAllTimes;
  int64_t now_ms = 0;
  // The time range of ListedJob::past. Reads more steps.
  std::optional<TimeRange> past = {};
  // A verdict loads most of a job's data.
  bool exclude_verdicts = false;
};

// Which data of a job are stored.
struct JobSignals {
  bool steps = false;
  bool phases = false;
  bool devices = false;
};

struct ListedJob {
  training::Job job;
  std::vector<std::string> gpu_models;  // of the ranks
  training::JobSigns
      signs;  // as of JobListQuery::now_ms or the end of its time, whichever is earlier
  training::JobCondition condition;  // derived from `signs`
  std::vector<StepMark> past;        // steps of one rank in JobListQuery::past, in time order
  TimeRange time;                    // from the first to the last stored sample
  std::vector<AttemptSpan> attempts;
  int64_t world_size = 0;
  JobFacts facts;
  JobSignals signals;
  std::vector<std::string> warnings;
  // Covers the last hour, or less for a large job. Empty unless requested.
  std::optional<training::JobVerdictAnswer> verdict = {};
};

// The condition at `time_ms`, which must be in JobListQuery::past. Assumes that processes and
// devices that exist later also existed then.
training::JobCondition ConditionAt(const ListedJob& job, int64_t time_ms);

// Returns the latest job first. Same errors as LoadJob(), but finding no job is not an error.
absl::StatusOr<std::vector<ListedJob>> ListJobs(const JobListQuery& query,
                                                const LoadContext& context);

}  // namespace lockstep::answers
