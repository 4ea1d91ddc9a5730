// /api/v1/training/mfu: what is asked, and the answer.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "api/form.h"
#include "api/json_writer.h"
#include "training/efficiency.h"
#include "training/flops.h"
#include "training/gpu_catalogue.h"

namespace lockstep::api {

struct EfficiencyQuestion {
  training::Precision precision = training::Precision::kBf16;
  training::FlopsConvention convention = training::FlopsConvention::kReported;
  training::ModelShape shape;  // what is asked with; the rest is what the job says
  bool recomputes_fully = false;
  double total_tokens = 0;  // 0: not said
  std::string gpu_model;    // "": what the devices say
};

// An error is the whole text for the client.
absl::StatusOr<EfficiencyQuestion> EfficiencyQuestionOf(const Form& form);
answers::JobNeeds EfficiencyNeeds();

training::EfficiencyAnswer EfficiencyOf(const answers::LoadedJob& job,
                                        const EfficiencyQuestion& question);
// The object. `answer` is EfficiencyOf's.
void WriteEfficiency(JsonWriter& json, const answers::LoadedJob& job,
                     const EfficiencyQuestion& question, const training::EfficiencyAnswer& answer);

}  // namespace lockstep::api
