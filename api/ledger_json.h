// /api/v1/training/ledger: what is asked, and the answer.
#pragma once

#include <optional>
#include <vector>

#include "answers/loaded_job.h"
#include "api/json_writer.h"
#include "api/prices.h"
#include "training/ledger.h"

namespace lockstep::api {

answers::JobNeeds LedgerNeeds();

// Of all of the time. `attempts` in order of time, at least one.
training::Ledger LedgerOf(const std::vector<answers::LoadedJob>& attempts);
training::EnergyUse EnergyOf(const std::vector<answers::LoadedJob>& attempts, const Prices& prices);
// None: the price of the job's GPUs is not said.
std::optional<training::Bill> BillOf(const answers::LoadedJob& job, const Prices& prices,
                                     const training::Ledger& ledger);
// The object. `ledger` and `energy` are those of the attempts.
void WriteLedger(JsonWriter& json, const std::vector<answers::LoadedJob>& attempts,
                 const Prices& prices, const training::Ledger& ledger,
                 const training::EnergyUse& energy);

}  // namespace lockstep::api
