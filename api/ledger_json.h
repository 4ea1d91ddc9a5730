// /api/v1/training/ledger: what is asked, and the answer.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "api/form.h"
#include "api/json_writer.h"
#include "training/ledger.h"
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

// Of all of the time. `attempts` in order of time, at least one.
training::Ledger LedgerOf(const std::vector<answers::LoadedJob>& attempts);
training::EnergyUse EnergyOf(const std::vector<answers::LoadedJob>& attempts,
                             const LedgerQuestion& question);
// None: the price of the job's GPUs is not said.
std::optional<training::Bill> BillOf(const answers::LoadedJob& job, const LedgerQuestion& question,
                                     const training::Ledger& ledger);
// The object. `ledger` and `energy` are those of the attempts.
void WriteLedger(JsonWriter& json, const std::vector<answers::LoadedJob>& attempts,
                 const LedgerQuestion& question, const training::Ledger& ledger,
                 const training::EnergyUse& energy);

}  // namespace lockstep::api
