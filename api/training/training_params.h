// Parameters common to requests about training jobs.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "answers/prices.h"
#include "answers/question.h"
#include "api/http/form.h"

namespace lockstep::api {

// Parses job, start, end and attempt. An error is the complete message for the client.
absl::StatusOr<answers::JobQuestion> JobQuestionOf(const Form& form);

// `defaults`, overridden by the request's parameters `price` and `kwh_price`. An error is the
// complete message for the client.
absl::StatusOr<answers::Prices> PricesOf(const Form& form, const answers::Prices& defaults);

// Sets `number` if the parameter is present; it must be positive.
absl::Status SetNumber(const Form& form, std::string_view name, double& number);
// The same for a whole number from 1 to `most`.
absl::Status SetCount(const Form& form, std::string_view name, size_t most, size_t& count);

}  // namespace lockstep::api
