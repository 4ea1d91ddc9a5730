#include "api/ledger_json.h"

#include <cmath>
#include <optional>

#include "api/training_json.h"
#include "training/bottlenecks.h"
#include "training/efficiency.h"

namespace lockstep::api {
namespace {

using answers::LoadedJob;

constexpr double kJoulesPerKwh = 3.6e6;

training::TimeRange TimeOf(const std::vector<LoadedJob>& attempts) {
  return {attempts.front().whole.from_ms, attempts.back().time.to_ms};
}

double ConsumedTokens(const LoadedJob& job) {
  return training::EfficiencyOf({.job = job.job, .steps = job.steps, .devices = {}})
      .consumed_tokens;
}

void WriteBins(JsonWriter& json, const std::array<double, training::kLedgerBinCount>& bins) {
  json.Key("bins");
  json.BeginObject();
  for (size_t i = 0; i < bins.size(); ++i) {
    WriteNumberField(json, Name(static_cast<training::LedgerBin>(i)), bins[i]);
  }
  json.EndObject();
}

void WriteCost(JsonWriter& json, const training::Ledger& ledger, std::optional<double> price) {
  json.Key("cost");
  if (!price.has_value()) {
    json.Raw() += "null";
    return;
  }
  const training::Bill bill = training::BillOf(ledger, *price);
  json.BeginObject();
  WriteNumberField(json, "price_per_gpu_hour", *price);
  WriteNumberField(json, "gpu_hours", bill.gpu_hours);
  WriteNumberField(json, "total", bill.cost);
  WriteNumberField(json, "wasted", bill.wasted_cost);
  WriteBins(json, bill.cost_of_bin);
  json.EndObject();
}

void WriteEnergy(JsonWriter& json, const training::EnergyUse& energy) {
  json.Key("energy");
  json.BeginObject();
  WriteNumberField(json, "joules", energy.joules);
  WriteNumberField(json, "joules_per_step", energy.joules_per_step);
  WriteNumberField(json, "joules_per_token", energy.joules_per_token);
  WriteNumberField(json, "kwh", energy.joules / kJoulesPerKwh);
  WriteNumberField(json, "cost", energy.cost);
  WriteFlagField(json, "is_from_power", energy.is_from_power);
  json.EndObject();
}

}  // namespace

answers::JobNeeds LedgerNeeds() {
  answers::JobNeeds needs{.phases = true, .operations = true};
  for (const training::DeviceCounter counter : training::CountersOfClasses()) {
    needs.devices.set(static_cast<size_t>(counter));
  }
  needs.devices.set(static_cast<size_t>(training::DeviceCounter::kEnergyMj));
  return needs;
}

training::Ledger LedgerOf(const std::vector<LoadedJob>& attempts) {
  std::vector<training::Attempt> starts;
  for (const LoadedJob& job : attempts) starts.push_back({job.time, &job.steps, job.devices});
  return training::LedgerOf(attempts.back().job, TimeOf(attempts), starts);
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

void WriteLedger(JsonWriter& json, const std::vector<LoadedJob>& attempts, const Prices& prices,
                 const training::Ledger& ledger, const training::EnergyUse& energy) {
  json.BeginObject();
  WriteTextField(json, "job", attempts.back().job.name);
  WriteTimeRange(json, TimeOf(attempts));
  WriteNumberField(json, "wall_seconds", ledger.wall_seconds);
  json.Key("gpus");
  json.Number(ledger.gpu_count);
  WriteNumberField(json, "gpu_seconds", ledger.Total());
  WriteBins(json, ledger.gpu_seconds);
  WriteNumberField(json, "wasted_gpu_seconds", ledger.Wasted());
  WriteNumberField(json, "goodput", ledger.Goodput());
  WriteNumberField(json, "ettr", ledger.EffectiveTrainingTimeRatio());
  json.Key("attempts");
  json.Number(attempts.size());
  WriteCost(json, ledger, PricePerGpuHour(attempts.back(), prices));
  WriteEnergy(json, energy);
  WriteCurrency(json, prices);
  WriteConfidence(json, ledger.confidence);
  json.EndObject();
}

}  // namespace lockstep::api
