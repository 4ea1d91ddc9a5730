// Compares runs at equal steps, tokens or time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/job/steps.h"

namespace lockstep::training {

enum class ComparisonAxis { kStep, kTokens, kSeconds };

std::string_view Name(ComparisonAxis axis);

struct TrainingRun {
  std::string name;
  const StepTable* steps = nullptr;  // not null
  double joules = kUnknown;          // of all its devices
  size_t rank_count = 0;
};

struct ComparedRun {
  std::string name;
  double step_seconds = kUnknown;  // median after warm-up
  double speed = kUnknown;         // the first run's step time over this run's
  double tokens_per_second = kUnknown;
  double highest_memory_bytes = kUnknown;  // peak allocation of the rank with the most
  double joules_per_step = kUnknown;
  double joules_per_token = kUnknown;
  std::vector<double> loss;      // at the points of the axis; unknown where the run has none
  std::vector<double> loss_gap;  // minus the first run's loss
  double last_gap = kUnknown;    // median over the last tenth of the points that both have
  // The first point from which the losses differ by more than their noise. Empty: they never do.
  std::optional<double> parts_at;
};

struct Comparison {
  ComparisonAxis axis = ComparisonAxis::kStep;
  std::vector<double> at;  // the points of the first run
  std::vector<ComparedRun> runs;
};

// Compares each run with the first. Precondition: `runs` is not empty.
Comparison CompareRuns(std::span<const TrainingRun> runs, ComparisonAxis axis);

}  // namespace lockstep::training
