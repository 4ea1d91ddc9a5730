#include "training/stragglers.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/straggler_methods.h"
#include "training/straggler_network.h"

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

// Ranks that are all that a host has, all late: it is the host.
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
    // One link of a host is in trouble, not all that it has.
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

StragglerAnswer FindStragglersBy(StragglerMethod method, const StragglerInput& input) {
  StragglerAnswer answer = FoundBy(method, input);
  BlameNetwork(input, answer);
  BlameHosts(input.job, answer);
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
  return answer;
}

}  // namespace lockstep::training
