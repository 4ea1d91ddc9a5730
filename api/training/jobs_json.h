// The parameters and the response of /api/v1/training/jobs.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/job_list.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::JobListQuery> JobListQueryOf(const Form& form, int64_t now_ms);

// Write the object for one job, and for all jobs.
void WriteJob(JsonWriter& json, const answers::ListedJob& job);
void WriteJobs(JsonWriter& json, const std::vector<answers::ListedJob>& jobs);

}  // namespace lockstep::api
