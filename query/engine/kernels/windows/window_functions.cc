#include "query/engine/kernels/windows/window_functions.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "query/engine/kernels/windows/rollups.h"
#include "query/engine/kernels/windows/window_families.h"

namespace lockstep::engine {

WindowFunction FindWindowFunction(promql::FunctionId id) {
  using promql::FunctionId;
  switch (id) {
    case FunctionId::kAvgOverTime:
      return AvgOverTime;
    case FunctionId::kChanges:
      return Changes;
    case FunctionId::kCountOverTime:
      return CountOverTime;
    case FunctionId::kDelta:
      return Delta;
    case FunctionId::kDeriv:
      return Deriv;
    case FunctionId::kDoubleExponentialSmoothing:
      return DoubleExponentialSmoothing;
    case FunctionId::kFirstOverTime:
      return FirstOverTime;
    case FunctionId::kIdelta:
      return InstantDelta;
    case FunctionId::kIncrease:
      return Increase;
    case FunctionId::kIncreasePure:
      return IncreasePure;
    case FunctionId::kIrate:
      return InstantRate;
    case FunctionId::kLastOverTime:
    case FunctionId::kDefaultRollup:  // for a subquery, which has no stale markers
      return LastOverTime;
    case FunctionId::kMadOverTime:
      return MadOverTime;
    case FunctionId::kMaxOverTime:
      return MaxOverTime;
    case FunctionId::kMinOverTime:
      return MinOverTime;
    case FunctionId::kPredictLinear:
      return PredictLinear;
    case FunctionId::kPresentOverTime:
      return PresentOverTime;
    case FunctionId::kQuantileOverTime:
      return QuantileOverTime;
    case FunctionId::kRate:
      return Rate;
    case FunctionId::kResets:
      return Resets;
    case FunctionId::kStddevOverTime:
      return StddevOverTime;
    case FunctionId::kStdvarOverTime:
      return StdvarOverTime;
    case FunctionId::kSumOverTime:
      return SumOverTime;
    case FunctionId::kTsOfFirstOverTime:
      return TsOfFirstOverTime;
    case FunctionId::kTsOfLastOverTime:
      return TsOfLastOverTime;
    case FunctionId::kTsOfMaxOverTime:
      return TsOfMaxOverTime;
    case FunctionId::kTsOfMinOverTime:
      return TsOfMinOverTime;
    default:
      return nullptr;
  }
}

absl::Status CheckWindowParams(promql::FunctionId id, std::span<const double> params) {
  if (id != promql::FunctionId::kDoubleExponentialSmoothing) return absl::OkStatus();
  // NaN passes, as in Prometheus.
  if (params[0] <= 0 || params[0] >= 1) {
    return absl::FailedPreconditionError(
        absl::StrFormat("invalid smoothing factor. Expected: 0 < sf < 1, got: %f", params[0]));
  }
  if (params[1] <= 0 || params[1] >= 1) {
    return absl::FailedPreconditionError(
        absl::StrFormat("invalid trend factor. Expected: 0 < tf < 1, got: %f", params[1]));
  }
  return absl::OkStatus();
}

bool LooksLikeCounterName(std::string_view metric_name) {
  constexpr std::array<std::string_view, 4> kEndings = {"_total", "_sum", "_count", "_bucket"};
  return std::any_of(kEndings.begin(), kEndings.end(), [metric_name](std::string_view ending) {
    return metric_name.ends_with(ending);
  });
}

}  // namespace lockstep::engine
