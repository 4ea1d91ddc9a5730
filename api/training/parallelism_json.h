// The parameters and the response of /api/v1/training/parallelism.
#pragma once

#include "absl/status/statusor.h"
#include "answers/parallelism.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::ParallelismQuestion> ParallelismQuestionOf(const Form& form);

// Writes the object.
void WriteParallelismAnswer(JsonWriter& json, const answers::JobParallelism& found);

}  // namespace lockstep::api
