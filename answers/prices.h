// The cost of GPU-hours and electricity, from the server's settings or from a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::answers {

// By the GPU's id in the catalogue; "" matches any.
using GpuPrices = std::vector<std::pair<std::string, double>>;

// Plain data.
struct Prices {
  GpuPrices per_gpu_hour;  // empty: no bill
  double per_kwh = training::kUnknown;
  std::string currency;  // of both prices; "": not given
};

// "3.2", or per model "h200-sxm5-141gb:3.2,h100-sxm5-80gb:2.1".
absl::StatusOr<GpuPrices> ParseGpuPrices(std::string_view text);

// The price for the job's GPUs, if all have the same one.
std::optional<double> PricePerGpuHour(const LoadedJob& job, const Prices& prices);

}  // namespace lockstep::answers
