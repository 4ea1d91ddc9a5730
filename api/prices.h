// What GPU-hours and electricity cost: as the server is told, or a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "api/form.h"
#include "api/json_writer.h"
#include "training/rank_matrix.h"

namespace lockstep::api {

// By the catalogue's id of the GPU; "" is any.
using GpuPrices = std::vector<std::pair<std::string, double>>;

// Plain data.
struct Prices {
  GpuPrices per_gpu_hour;  // empty: no bill
  double per_kwh = training::kUnknown;
  std::string currency;  // of both; "": not said
};

// "3.2", or by model "h200-sxm5-141gb:3.2,h100-sxm5-80gb:2.1". An error says what of it is wrong.
absl::StatusOr<GpuPrices> ParseGpuPrices(std::string_view text);

// An error is the whole text for the client. `told`, but for what the request says itself: `price` and `kwh_price`.
absl::StatusOr<Prices> PricesOf(const Form& form, const Prices& told);

// Of the job's GPUs, if all of them have the same price.
std::optional<double> PricePerGpuHour(const answers::LoadedJob& job, const Prices& prices);

// The member "currency" of an object; null if nobody says it.
void WriteCurrency(JsonWriter& json, const Prices& prices);

}  // namespace lockstep::api
