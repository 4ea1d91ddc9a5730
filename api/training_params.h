// Parameters that questions about training jobs have in common.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "api/form.h"

namespace lockstep::api {

// job, start, end, attempt. An error is the whole text for the client.
absl::StatusOr<answers::JobQuery> JobQueryOf(const Form& form);

// The parameter's number, above zero, if it is there; else `number` stays as it is.
absl::Status SetNumber(const Form& form, std::string_view name, double& number);
// Likewise a whole one, 1 to `most`.
absl::Status SetCount(const Form& form, std::string_view name, size_t most, size_t& count);

}  // namespace lockstep::api
