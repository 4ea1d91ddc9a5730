#include "api/training/training_params.h"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "base/status.h"

namespace lockstep::api {

absl::StatusOr<answers::JobQuestion> JobQuestionOf(const Form& form) {
  answers::JobQuestion question;
  question.name = form.Get("job");
  if (question.name.empty()) return absl::InvalidArgumentError("no job parameter provided");
  LOCKSTEP_ASSIGN_OR_RETURN(question.time, ParseTimeRange(form.Get("start"), form.Get("end")));
  if (form.Get("attempt").empty()) return question;
  const absl::StatusOr<int64_t> attempt = ParseInteger(form.Get("attempt"));
  if (!attempt.ok()) return Annotate(attempt.status(), "invalid parameter \"attempt\"");
  if (*attempt < 0) {
    return absl::InvalidArgumentError("invalid parameter \"attempt\": must be 0 or greater");
  }
  question.attempt = static_cast<size_t>(*attempt);
  return question;
}

absl::StatusOr<answers::Prices> PricesOf(const Form& form, const answers::Prices& defaults) {
  answers::Prices prices = defaults;
  absl::StatusOr<answers::GpuPrices> asked = answers::ParseGpuPrices(form.Get("price"));
  if (!asked.ok()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"price\": %s", Message(asked.status())));
  }
  if (!asked->empty()) prices.per_gpu_hour = *std::move(asked);
  LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, "kwh_price", prices.per_kwh));
  return prices;
}

absl::Status SetNumber(const Form& form, std::string_view name, double& number) {
  const std::string_view text = form.Get(name);
  if (text.empty()) return absl::OkStatus();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::isfinite(value) || value <= 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"%s\": \"%s\" is not a positive number", name, text));
  }
  number = value;
  return absl::OkStatus();
}

absl::Status SetCount(const Form& form, std::string_view name, size_t most, size_t& count) {
  if (form.Get(name).empty()) return absl::OkStatus();
  const absl::StatusOr<int64_t> value = ParseInteger(form.Get(name));
  if (!value.ok() || *value < 1 || static_cast<uint64_t>(*value) > most) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"%s\": \"%s\" is not a number from 1 to %d", name,
                        form.Get(name), most));
  }
  count = static_cast<size_t>(*value);
  return absl::OkStatus();
}

}  // namespace lockstep::api
