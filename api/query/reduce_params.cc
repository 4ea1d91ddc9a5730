#include "api/query/reduce_params.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "api/http/params.h"

namespace lockstep::api {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kEvaluationsPerBin = 10;

std::string KnownReductions() {
  std::string names;
  for (const engine::Reduction reduction : engine::AllReductions()) {
    if (!names.empty()) names += ", ";
    names += engine::Name(reduction);
  }
  return names;
}

int64_t DivideUp(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// In whole seconds, so that bins of neighbouring zoom levels share evaluations.
int64_t DefaultResolutionMs(int64_t range_ms, int64_t step_ms) {
  const int64_t wanted_ms = std::max(DivideUp(step_ms, kEvaluationsPerBin),
                                     DivideUp(range_ms + step_ms, kMaxPointsPerSeries));
  return std::min(DivideUp(wanted_ms, kSecondMs) * kSecondMs, step_ms);
}

absl::StatusOr<int64_t> ResolutionOf(std::string_view text, int64_t range_ms, int64_t step_ms) {
  const auto resolution = ParseDuration(text);
  if (!resolution.ok()) {
    return Annotate(resolution.status(), "invalid parameter \"resolution\"");
  }
  const int64_t resolution_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(*resolution).count();
  if (resolution_ms < 1 || resolution_ms > step_ms) {
    return absl::InvalidArgumentError(
        "invalid parameter \"resolution\": must be at least a millisecond and at most the step");
  }
  if ((range_ms + step_ms) / resolution_ms > kMaxPointsPerSeries) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"resolution\": the expression would be evaluated more "
                        "than %d times. Try a longer one, or a shorter range",
                        kMaxPointsPerSeries));
  }
  return resolution_ms;
}

}  // namespace

absl::StatusOr<std::vector<engine::Reduction>> ReductionsOf(const Form& form) {
  std::vector<engine::Reduction> reductions;
  std::string_view rest = form.Get("reduce");
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    const auto reduction = engine::ReductionNamed(name);
    if (!reduction.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("invalid parameter \"reduce\": \"%s\" is none of %s, separated by commas",
                          name, KnownReductions()));
    }
    if (std::ranges::find(reductions, *reduction) == reductions.end()) {
      reductions.push_back(*reduction);
    }
  }
  return reductions;
}

absl::StatusOr<ReduceParams> ReduceParamsOf(const Form& form, int64_t range_ms, int64_t step_ms) {
  ReduceParams params;
  LOCKSTEP_ASSIGN_OR_RETURN(params.reductions, ReductionsOf(form));
  if (params.reductions.empty()) return params;
  const std::string_view resolution = form.Get("resolution");
  if (resolution.empty()) {
    params.resolution_ms = DefaultResolutionMs(range_ms, step_ms);
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(params.resolution_ms, ResolutionOf(resolution, range_ms, step_ms));
  }
  return params;
}

}  // namespace lockstep::api
