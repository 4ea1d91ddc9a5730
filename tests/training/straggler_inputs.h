// Recorded jobs reduced to the inputs that one method needs.
#pragma once

#include <string>
#include <vector>

#include "tests/training/recording.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {

// Only step times, and the all-reduce as if it had been reported as a wait.
inline StepTable WaitsOnly(const StepTable& table) {
  StepTable waits = table;
  waits.phases.clear();
  for (const PhaseColumn& phase : table.phases) {
    if (phase.kind == PhaseKind::kCommunication) {
      waits.phases.push_back({"wait", PhaseKind::kWait, phase.seconds});
    }
  }
  return waits;
}

inline StepTable PhasesOnly(const StepTable& table) {
  StepTable phases = table;
  std::erase_if(phases.phases,
                [](const PhaseColumn& phase) { return phase.kind == PhaseKind::kCommunication; });
  return phases;
}

// Only step times and communication, whose difference is the own time.
inline StepTable OwnTimeOnly(const StepTable& table) {
  StepTable own = table;
  std::erase_if(own.phases,
                [](const PhaseColumn& phase) { return phase.kind != PhaseKind::kCommunication; });
  return own;
}

inline StepTable StepTimesOnly(const StepTable& table) {
  StepTable steps = table;
  steps.phases.clear();
  return steps;
}

// The answer from only the inputs that `method` needs.
inline StragglerAnswer AnswerBy(StragglerMethod method, const RecordedJob& job) {
  const StepTable nothing;
  switch (method) {
    case StragglerMethod::kCollectiveWaits:
      return FindStragglers({job.job, WaitsOnly(job.steps), {}});
    case StragglerMethod::kPhaseTimes:
      return FindStragglers({job.job, PhasesOnly(job.steps), {}});
    case StragglerMethod::kOwnTime:
      return FindStragglers({job.job, OwnTimeOnly(job.steps), {}});
    case StragglerMethod::kDeviceCounters:
      return FindStragglers({job.job, nothing, job.devices});
    case StragglerMethod::kStepTime:
      break;
  }
  return FindStragglers({job.job, StepTimesOnly(job.steps), {}});
}

// "slow_rank 2 gpu", "none"...
inline std::string Summary(const RecordedJob& job, const StragglerAnswer& answer) {
  std::string text(Name(answer.verdict));
  for (const SlowRankFinding& finding : answer.ranks) {
    text += " " + std::to_string(job.job.ranks[finding.row].rank) + " " +
            std::string(Name(finding.cause));
  }
  return text;
}

}  // namespace lockstep::training
