// /api/v1/training/stragglers: what is asked, and the answer.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "api/form.h"
#include "api/json_writer.h"
#include "api/prices.h"
#include "base/task_pool.h"
#include "training/stragglers.h"

namespace lockstep::api {

struct StragglerQuestion {
  std::optional<training::StragglerMethod> method;  // the strongest that the data allow if none
  Prices prices;
};

// An error is the whole text for the client.
absl::StatusOr<StragglerQuestion> StragglerQuestionOf(const Form& form, const Prices& told);
answers::JobNeeds StragglerNeeds();

training::StragglerAnswer StragglersOf(const answers::LoadedJob& job,
                                       const StragglerQuestion& question, TaskPool& pool);
// The object.
void WriteStragglers(JsonWriter& json, const answers::LoadedJob& job,
                     const training::StragglerAnswer& answer, const Prices& prices, TaskPool& pool);

}  // namespace lockstep::api
