#include "answers/ledger.h"

#include <cmath>

#include "base/status.h"
#include "catalogue/roles.h"
#include "training/efficiency/efficiency.h"

namespace lockstep::answers {
namespace {

constexpr double kJoulesPerKwh = 3.6e6;

double ConsumedTokens(const LoadedJob& job) {
  return training::EfficiencyOf({.job = job.job, .steps = job.steps, .devices = {}})
      .consumed_tokens;
}

}  // namespace

double JobLedger::Kwh() const { return energy.joules / kJoulesPerKwh; }

JobNeeds LedgerNeeds() {
  JobNeeds needs{.phases = true, .operations = true, .devices = CountersOfClasses()};
  needs.devices.set(static_cast<size_t>(catalogue::Role::kGpuEnergyJoulesTotal));
  return needs;
}

training::EnergyUse EnergyOf(const std::vector<LoadedJob>& attempts, const Prices& prices) {
  training::EnergyUse all;
  double steps = 0;
  double tokens = 0;
  double joules = training::kUnknown;
  for (const LoadedJob& job : attempts) {
    const training::EnergyUse one = training::EnergyOf(job.job, job.devices, job.time, 0, 0, 0);
    if (std::isnan(one.joules)) continue;
    joules = std::isnan(joules) ? one.joules : joules + one.joules;
    all.is_from_power = all.is_from_power || one.is_from_power;
    steps += static_cast<double>(job.steps.size());
    tokens += ConsumedTokens(job);
  }
  all.joules = joules;
  if (steps > 0) all.joules_per_step = joules / steps;
  if (tokens > 0) all.joules_per_token = joules / tokens;
  all.cost = joules / kJoulesPerKwh * prices.per_kwh;
  return all;
}

std::optional<training::Bill> BillOf(const LoadedJob& job, const Prices& prices,
                                     const training::Ledger& ledger) {
  const std::optional<double> price = PricePerGpuHour(job, prices);
  if (!price.has_value()) return std::nullopt;
  return training::BillOf(ledger, *price);
}

JobLedger LedgerOf(const std::vector<LoadedJob>& attempts, const Prices& prices) {
  const LoadedJob& last = attempts.back();
  std::vector<training::Attempt> starts;
  for (const LoadedJob& job : attempts) starts.push_back({job.time, &job.steps, job.devices});
  JobLedger found{.job = last.job.name,
                  .time = {attempts.front().whole.min_ms, last.time.max_ms},
                  .attempt_count = attempts.size(),
                  .energy = EnergyOf(attempts, prices),
                  .currency = prices.currency};
  found.ledger = training::LedgerOf(last.job, found.time, starts);
  found.price_per_gpu_hour = PricePerGpuHour(last, prices).value_or(training::kUnknown);
  found.bill = BillOf(last, prices, found.ledger);
  return found;
}

absl::StatusOr<JobLedger> AnswerLedger(const LedgerQuestion& question,
                                       const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<LoadedJob> attempts,
                            LoadAttempts(question.job, LedgerNeeds(), context));
  return LedgerOf(attempts, question.prices);
}

}  // namespace lockstep::answers
