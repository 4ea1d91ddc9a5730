// A job's series, read from the store and put into columns.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "answers/loaded_job.h"

namespace lockstep::answers {

// Errors: kNotFound if nothing is stored of such a job in that time, or no such attempt; those of the budget;
// others if the store failed.
absl::StatusOr<LoadedJob> LoadJob(const JobQuery& query, const LoadContext& context);

// Every attempt that has something in that time, or the one that is asked for; in order of time, at least one.
absl::StatusOr<std::vector<LoadedJob>> LoadAttempts(const JobQuery& query,
                                                    const LoadContext& context);

// What has come to a job since it was loaded up to its frontier.
struct JobTail {
  // Not to be told by its tail alone: a rank or an attempt began, or ranks report something else.
  bool is_other = false;
  bool has_returned =
      false;  // a rank that did not report sends what was missing, behind the frontier
  training::StepTable steps;  // behind the frontier of before; those up to it may be there again
  std::vector<RankReport> reports;
  std::vector<training::NotReportingRank> not_reporting;
  int64_t newest_ms = 0;
  bool is_running = false;
  std::optional<int64_t> exit_ms;
};

// `before` is of this query, whose needs name no devices and links, and has steps. Errors as LoadJob's.
absl::StatusOr<JobTail> LoadTail(const JobQuery& query, const LoadedJob& before,
                                 const LoadContext& context);

// The devices and links of a job in its time, as LoadJob() reads them; `job` has its ranks and steps already.
absl::Status LoadDevices(const JobQuery& query, const LoadContext& context, LoadedJob& job);

}  // namespace lockstep::answers
