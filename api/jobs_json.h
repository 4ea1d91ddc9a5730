// /api/v1/training/jobs: what is asked, and the answer.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/job_list.h"
#include "api/form.h"
#include "api/json_writer.h"

namespace lockstep::api {

// An error is the whole text for the client.
absl::StatusOr<answers::JobListQuery> JobListQueryOf(const Form& form, int64_t now_ms);

// The object of one job, and of all.
void WriteJob(JsonWriter& json, const answers::ListedJob& job);
void WriteJobs(JsonWriter& json, const std::vector<answers::ListedJob>& jobs);

}  // namespace lockstep::api
