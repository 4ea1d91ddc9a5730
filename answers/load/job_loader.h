// Reads a job's series from the store into columns.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/load_context.h"
#include "answers/load/loaded_job.h"

namespace lockstep::answers {

// Returns kNotFound if there is no data for the job in that time or no such attempt, and errors of
// the budget and of the store.
absl::StatusOr<LoadedJob> LoadJob(const JobQuery& query, const LoadContext& context);

// Loads every attempt with data in that time, or the requested one. In time order, at least one.
absl::StatusOr<std::vector<LoadedJob>> LoadAttempts(const JobQuery& query,
                                                    const LoadContext& context);

// New data of a job since it was loaded up to its frontier.
struct JobTail {
  // The tail is not enough: a rank or an attempt began, or ranks report other values.
  bool is_other = false;
  bool has_returned =
      false;  // a rank that did not report sends missing steps from before the frontier
  training::StepTable steps;  // steps after the previous frontier; may repeat earlier ones
  std::vector<RankReport> reports;
  std::vector<training::NotReportingRank> not_reporting;
  int64_t newest_ms = 0;
  bool is_running = false;
  std::optional<int64_t> exit_ms;
};

// `before` must be the result of this query, whose needs include no devices and no links, and must
// have steps. Same errors as LoadJob().
absl::StatusOr<JobTail> LoadTail(const JobQuery& query, const LoadedJob& before,
                                 const LoadContext& context);

// Loads the devices and links of a job like LoadJob() does. `job` must already have its ranks and
// steps.
absl::Status LoadDevices(const JobQuery& query, const LoadContext& context, LoadedJob& job);

}  // namespace lockstep::answers
