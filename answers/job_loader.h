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

}  // namespace lockstep::answers
