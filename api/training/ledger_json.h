// The parameters and the response of /api/v1/training/ledger.
#pragma once

#include "absl/status/statusor.h"
#include "answers/ledger.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::LedgerQuestion> LedgerQuestionOf(const Form& form,
                                                         const answers::Prices& defaults);

// Writes the object.
void WriteLedger(JsonWriter& json, const answers::JobLedger& found);

}  // namespace lockstep::api
