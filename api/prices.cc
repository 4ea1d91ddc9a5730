#include "api/prices.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/training_json.h"
#include "api/training_params.h"
#include "base/status.h"
#include "training/gpu_catalogue.h"

namespace lockstep::api {
namespace {

absl::StatusOr<std::pair<std::string, double>> ParsePrice(std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view number = colon == text.npos ? text : text.substr(colon + 1);
  double price = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), price);
  if (error != std::errc() || end != number.data() + number.size() || !(price >= 0) ||
      !std::isfinite(price)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "\"%s\" is neither a price nor a model's id and one, like h200-sxm5-141gb:3.2", text));
  }
  return std::pair(std::string(colon == text.npos ? "" : text.substr(0, colon)), price);
}

}  // namespace

absl::StatusOr<GpuPrices> ParseGpuPrices(std::string_view text) {
  GpuPrices prices;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    LOCKSTEP_ASSIGN_OR_RETURN(auto price, ParsePrice(text.substr(0, comma)));
    prices.push_back(std::move(price));
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
  }
  return prices;
}

absl::StatusOr<Prices> PricesOf(const Form& form, const Prices& told) {
  Prices prices = told;
  absl::StatusOr<GpuPrices> asked = ParseGpuPrices(form.Get("price"));
  if (!asked.ok()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"price\": %s", Message(asked.status())));
  }
  if (!asked->empty()) prices.per_gpu_hour = *std::move(asked);
  LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, "kwh_price", prices.per_kwh));
  return prices;
}

std::optional<double> PricePerGpuHour(const answers::LoadedJob& job, const Prices& prices) {
  std::optional<double> price;
  for (const std::string& name : job.gpu_models) {
    const training::GpuMatch match = training::FindGpu(name);
    const std::string_view id = match.model == nullptr ? "" : match.model->id;
    std::optional<double> of_gpu;
    for (const auto& [model, one] : prices.per_gpu_hour) {
      if (model == id || (model.empty() && !of_gpu.has_value())) of_gpu = one;
    }
    if (!of_gpu.has_value() || (price.has_value() && *price != *of_gpu)) return std::nullopt;
    price = of_gpu;
  }
  return price;
}

void WriteCurrency(JsonWriter& json, const Prices& prices) {
  if (!prices.currency.empty()) return WriteTextField(json, "currency", prices.currency);
  json.Key("currency");
  json.Raw() += "null";
}

}  // namespace lockstep::api
