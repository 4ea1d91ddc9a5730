// Where the GPU time of a job went, over all its attempts, and what it cost.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "answers/prices.h"
#include "answers/question.h"
#include "training/efficiency/ledger.h"

namespace lockstep::answers {

struct LedgerQuestion {
  JobQuestion job;
  Prices prices = {};
};

struct JobLedger {
  std::string job;
  TimeRange time;  // from the start of the job's data to the end of the last attempt
  size_t attempt_count = 0;
  training::Ledger ledger = {};
  double price_per_gpu_hour = training::kUnknown;
  std::optional<training::Bill> bill = {};  // empty if that price is unknown
  training::EnergyUse energy = {};
  std::string currency = {};  // of the costs; "" if unspecified

  double Kwh() const;
};

JobNeeds LedgerNeeds();

// `attempts` are in time order, at least one, and were loaded with LedgerNeeds().
JobLedger LedgerOf(const std::vector<LoadedJob>& attempts, const Prices& prices);

// The parts of a JobLedger. Attempts without energy data do not count.
training::EnergyUse EnergyOf(const std::vector<LoadedJob>& attempts, const Prices& prices);
std::optional<training::Bill> BillOf(const LoadedJob& job, const Prices& prices,
                                     const training::Ledger& ledger);

absl::StatusOr<JobLedger> AnswerLedger(const LedgerQuestion& question,
                                       const QuestionContext& context);

}  // namespace lockstep::answers
