#include "training/stragglers.h"

#include <array>
#include <utility>

#include "training/straggler_methods.h"

namespace lockstep::training {

StragglerAnswer FindStragglersBy(StragglerMethod method, const StragglerInput& input) {
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
