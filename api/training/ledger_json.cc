#include "api/training/ledger_json.h"

#include <array>

#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

void WriteBins(JsonWriter& json, const std::array<double, training::kLedgerBinCount>& bins) {
  json.Key("bins");
  json.BeginObject();
  for (size_t i = 0; i < training::kLedgerBinCount; ++i) {
    json.Field(Name(static_cast<training::LedgerBin>(i)), bins[i]);
  }
  json.EndObject();
}

void WriteCost(JsonWriter& json, const answers::JobLedger& found) {
  json.Key("cost");
  if (!found.bill.has_value()) return json.Null();
  json.BeginObject();
  json.Field("price_per_gpu_hour", found.price_per_gpu_hour);
  json.Field("gpu_hours", found.bill->gpu_hours);
  json.Field("total", found.bill->cost);
  json.Field("wasted", found.bill->wasted_cost);
  WriteBins(json, found.bill->cost_of_bin);
  json.EndObject();
}

void WriteEnergy(JsonWriter& json, const answers::JobLedger& found) {
  const training::EnergyUse& energy = found.energy;
  json.Key("energy");
  json.BeginObject();
  json.Field("joules", energy.joules);
  json.Field("joules_per_step", energy.joules_per_step);
  json.Field("joules_per_token", energy.joules_per_token);
  json.Field("kwh", found.Kwh());
  json.Field("cost", energy.cost);
  json.Field("is_from_power", energy.is_from_power);
  json.EndObject();
}

}  // namespace

absl::StatusOr<answers::LedgerQuestion> LedgerQuestionOf(const Form& form,
                                                         const answers::Prices& defaults) {
  answers::LedgerQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.prices, PricesOf(form, defaults));
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  return question;
}

void WriteLedger(JsonWriter& json, const answers::JobLedger& found) {
  const training::Ledger& ledger = found.ledger;
  json.BeginObject();
  json.Field("job", found.job);
  WriteTimeRange(json, found.time);
  json.Field("wall_seconds", ledger.wall_seconds);
  json.Field("gpus", ledger.gpu_count);
  json.Field("gpu_seconds", ledger.Total());
  WriteBins(json, ledger.gpu_seconds);
  json.Field("wasted_gpu_seconds", ledger.Wasted());
  json.Field("goodput", ledger.Goodput());
  json.Field("ettr", ledger.EffectiveTrainingTimeRatio());
  json.Field("attempts", found.attempt_count);
  WriteCost(json, found);
  WriteEnergy(json, found);
  WriteCurrency(json, found.currency);
  WriteConfidence(json, ledger.confidence);
  json.EndObject();
}

}  // namespace lockstep::api
