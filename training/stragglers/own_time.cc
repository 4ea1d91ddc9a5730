#include "training/stragglers/own_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "training/matrix/column_blocks.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// Phases that fill more of the step than this include the wait for other ranks.
constexpr double kFullStep = 0.97;

RankMatrix Difference(const RankMatrix& whole, const RankMatrix& part) {
  RankMatrix rest = whole;
  for (size_t row = 0; row < rest.rows(); ++row) {
    for (size_t n = 0; n < rest.columns(); ++n) rest(row, n) -= part(row, n);
  }
  return rest;
}

// Whether each rank's phases fill its step, so that no rank waits outside its phases.
bool FillsSteps(const RankMatrix& phases, const RankMatrix& step_seconds) {
  if (step_seconds.empty()) return false;
  for (size_t row = 0; row < phases.rows(); ++row) {
    std::vector<double> share(phases.columns());
    for (size_t n = 0; n < share.size(); ++n) share[n] = phases(row, n) / step_seconds(row, n);
    if (!(Median(share) >= kFullStep)) return false;
  }
  return true;
}

RankMatrix OwnFromPhases(const StepTable& table, TaskPool* pool) {
  RankMatrix own = SumOfPhases(table,
                               {PhaseKind::kData, PhaseKind::kHostToDevice, PhaseKind::kForward,
                                PhaseKind::kBackward, PhaseKind::kOptimizer, PhaseKind::kCompute,
                                PhaseKind::kCheckpoint, PhaseKind::kEvaluation, PhaseKind::kOther},
                               pool);
  const bool wait_is_told =
      HasPhase(table, PhaseKind::kCommunication) || HasPhase(table, PhaseKind::kWait);
  if (wait_is_told || !HasPhase(table, PhaseKind::kBackward)) return own;
  // Gradients are exchanged during the backward pass, so it includes the wait.
  if (!FillsSteps(own, table.step_seconds)) return own;
  return SumOfPhases(
      table,
      {PhaseKind::kData, PhaseKind::kHostToDevice, PhaseKind::kForward, PhaseKind::kOptimizer,
       PhaseKind::kCompute, PhaseKind::kCheckpoint, PhaseKind::kEvaluation, PhaseKind::kOther},
      pool);
}

RankMatrix SecondsBy(StragglerMethod method, const StepTable& table, TaskPool* pool,
                     std::vector<std::string>& missing) {
  const bool has_steps = !table.step_seconds.empty();
  switch (method) {
    case StragglerMethod::kCollectiveWaits:
      if (has_steps && HasPhase(table, PhaseKind::kWait)) {
        return Difference(table.step_seconds, SumOfPhases(table, {PhaseKind::kWait}));
      }
      missing.emplace_back("each rank's waiting time in collectives and its step time");
      break;
    case StragglerMethod::kPhaseTimes:
      if (HasPhase(table, PhaseKind::kForward) || HasPhase(table, PhaseKind::kBackward) ||
          HasPhase(table, PhaseKind::kCompute)) {
        return OwnFromPhases(table, pool);
      }
      missing.emplace_back("each rank's phase times (data, forward, backward, ...)");
      break;
    case StragglerMethod::kOwnTime:
      if (!table.own_seconds.empty()) return table.own_seconds;
      if (has_steps && HasPhase(table, PhaseKind::kCommunication)) {
        return Difference(table.step_seconds, SumOfPhases(table, {PhaseKind::kCommunication}));
      }
      missing.emplace_back("each rank's own time: its step time less waiting and communication");
      break;
    case StragglerMethod::kDeviceCounters:
    case StragglerMethod::kStepTime:
      break;
  }
  return {};
}

}  // namespace

OwnTime OwnTimeOf(StragglerMethod method, const StepTable& table, TaskPool* pool) {
  OwnTime own;
  own.seconds = SecondsBy(method, table, pool, own.missing);
  if (own.seconds.empty()) return own;
  own.step_seconds =
      table.step_seconds.empty() ? ColumnMedians(own.seconds, pool) : JobStepSeconds(table, pool);
  for (size_t n = 0; n < table.size(); ++n) {
    if (table.step[n] >= table.attempt_first_step + kWarmUpSteps) break;
    for (size_t row = 0; row < own.seconds.rows(); ++row) own.seconds(row, n) = kUnknown;
  }
  return own;
}

OwnTime StrongestOwnTime(const StepTable& table, TaskPool* pool) {
  OwnTime own;
  for (const StragglerMethod method : {StragglerMethod::kCollectiveWaits,
                                       StragglerMethod::kPhaseTimes, StragglerMethod::kOwnTime}) {
    own = OwnTimeOf(method, table, pool);
    if (!own.seconds.empty()) break;
  }
  return own;
}

}  // namespace lockstep::training
