#include "training/stragglers/stragglers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/stragglers/straggler_methods.h"
#include "training/stragglers/straggler_network.h"
#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {

namespace {

StragglerAnswer FoundBy(StragglerMethod method, const StragglerInput& input) {
  switch (method) {
    case StragglerMethod::kCollectiveWaits:
    case StragglerMethod::kPhaseTimes:
    case StragglerMethod::kOwnTime:
      return StragglersByOwnTime(method, input);
    case StragglerMethod::kDeviceCounters:
      return StragglersByDeviceCounters(input);
    case StragglerMethod::kStepTime:
      break;
  }
  return StragglersByStepTime(input);
}

// If all ranks of a host are late, blames the host.
void BlameHosts(const Job& job, StragglerAnswer& answer) {
  std::map<std::string_view, size_t> ranks_of_host;
  for (const RankPlace& place : job.ranks) {
    if (!place.host.empty()) ++ranks_of_host[place.host];
  }
  if (ranks_of_host.size() < 2) return;
  std::map<std::string_view, size_t> late_of_host;
  for (const SlowRankFinding& finding : answer.ranks) {
    ++late_of_host[job.ranks[finding.row].host];
  }
  for (SlowRankFinding& finding : answer.ranks) {
    const std::string& host = job.ranks[finding.row].host;
    const auto all = ranks_of_host.find(host);
    // Only a link of the host has problems, not the whole host.
    if (finding.cause == StragglerCause::kNetwork) continue;
    if (all == ranks_of_host.end() || all->second < 2 || late_of_host[host] < all->second) continue;
    finding.evidence.push_back({.signal = "late_ranks_of_host",
                                .value = static_cast<double>(late_of_host[host]),
                                .reference = static_cast<double>(all->second),
                                .unit = "ranks",
                                .words = absl::StrFormat("all ranks on %s are late: each alone "
                                                         "looked like %s",
                                                         host, Name(finding.cause))});
    finding.cause = StragglerCause::kNode;
    finding.gpu_reason = GpuReason::kUnknown;
  }
}

}  // namespace

namespace {

// The lowest threshold that a finding had to exceed.
double ThresholdOf(const StragglerAnswer& answer) {
  switch (answer.method) {
    case StragglerMethod::kDeviceCounters:
      return kLeastEngineDeficit;
    case StragglerMethod::kStepTime:
      return kSlowerStepsLong;
    default:
      return kOwnTimeScales.back().change;
  }
}

void SetConfidence(const StragglerInput& input, StragglerAnswer& answer) {
  Confidence& confidence = answer.confidence;
  for (const int64_t step : input.steps.step) {
    confidence.steps += step >= input.steps.attempt_first_step + kWarmUpSteps ? 1 : 0;
  }
  for (const GpuCounters& device : input.devices) {
    confidence.samples =
        std::max(confidence.samples, device[Role::kGpuGrEngineActiveRatio].value.size());
  }
  double found = kUnknown;
  for (const SlowRankFinding& finding : answer.ranks) {
    if (!(found <= finding.score) && !std::isnan(finding.score)) found = finding.score;
  }
  if (answer.ranks.empty() && answer.slow_since.has_value()) {
    found = answer.what_if.step_seconds_now / answer.what_if.step_seconds_before - 1;
  }
  confidence.margin = found / ThresholdOf(answer) - 1;
  if (!std::isnan(confidence.margin)) return;
  for (const Evidence& one : answer.evidence) {
    const double margin = std::abs(one.value / one.reference - 1);
    if (!(confidence.margin <= margin)) confidence.margin = margin;
  }
}

}  // namespace

StragglerAnswer FindStragglersBy(StragglerMethod method, const StragglerInput& input) {
  StragglerAnswer answer = FoundBy(method, input);
  BlameNetwork(input, answer);
  BlameHosts(input.job, answer);
  SetConfidence(input, answer);
  answer.confidence.missing = answer.missing;
  return answer;
}

StragglerAnswer FindStragglers(const StragglerInput& input) {
  constexpr std::array kStrongestFirst = {
      StragglerMethod::kCollectiveWaits, StragglerMethod::kPhaseTimes, StragglerMethod::kOwnTime,
      StragglerMethod::kDeviceCounters, StragglerMethod::kStepTime};
  StragglerAnswer answer;
  std::vector<std::string> missing;
  for (const StragglerMethod method : kStrongestFirst) {
    answer = FindStragglersBy(method, input);
    if (answer.verdict != StragglerVerdict::kNoData) break;
    missing.insert(missing.end(), answer.missing.begin(), answer.missing.end());
  }
  answer.missing = std::move(missing);
  answer.confidence.missing = answer.missing;
  return answer;
}

}  // namespace lockstep::training
