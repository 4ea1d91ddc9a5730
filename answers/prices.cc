#include "answers/prices.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "training/devices/gpu_catalogue.h"

namespace lockstep::answers {
namespace {

absl::StatusOr<std::pair<std::string, double>> ParsePrice(std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view number = colon == text.npos ? text : text.substr(colon + 1);
  double price = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), price);
  if (error != std::errc() || end != number.data() + number.size() || !(price >= 0) ||
      !std::isfinite(price)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "\"%s\" is not a price, or a model and a price such as h200-sxm5-141gb:3.2", text));
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

std::optional<double> PricePerGpuHour(const LoadedJob& job, const Prices& prices) {
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

}  // namespace lockstep::answers
