// The parameters and the response of /api/v1/training/history.
#pragma once

#include "absl/status/statusor.h"
#include "answers/run_history.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::RunHistoryQuestion> RunHistoryQuestionOf(const Form& form);

// Writes the object.
void WriteRunHistory(JsonWriter& json, const answers::JobRunHistory& found);

}  // namespace lockstep::api
