// /api/v1/training/ledger: what is asked, and the answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "api/form.h"
#include "api/json_writer.h"
#include "training/rank_matrix.h"

namespace lockstep::api {

struct LedgerQuestion {
  // Of a GPU-hour, by the catalogue's id of the GPU; "" is any. Empty: no bill.
  std::vector<std::pair<std::string, double>> prices;
  double price_per_kwh = training::kUnknown;
};

// An error is the whole text for the client.
absl::StatusOr<LedgerQuestion> LedgerQuestionOf(const Form& form);
answers::JobNeeds LedgerNeeds();

// The object. `attempts` in order of time, at least one.
void WriteLedger(JsonWriter& json, const std::vector<answers::LoadedJob>& attempts,
                 const LedgerQuestion& question);

}  // namespace lockstep::api
