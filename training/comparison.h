// Runs beside each other, at equal steps, tokens or time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/steps.h"

namespace lockstep::training {

enum class ComparisonAxis { kStep, kTokens, kSeconds };

std::string_view Name(ComparisonAxis axis);

struct TrainingRun {
  std::string name;
  const StepTable* steps = nullptr;  // not null
  double joules = kUnknown;          // of all of its devices, if known
  size_t rank_count = 0;
};

struct ComparedRun {
  std::string name;
  double step_seconds = kUnknown;  // median after warm-up
  double speed = kUnknown;         // the first run's step time over this one's
  double tokens_per_second = kUnknown;
  double highest_memory_bytes = kUnknown;  // allocated, of the rank with the most
  double joules_per_step = kUnknown;
  double joules_per_token = kUnknown;
  std::vector<double> loss;      // at the points of the axis; unknown where the run has none
  std::vector<double> loss_gap;  // less that of the first run
  double last_gap = kUnknown;    // median of the last tenth of what both have
  // The first point from which on the losses differ by more than their own noise. None: they do not part.
  std::optional<double> parts_at;
};

struct Comparison {
  ComparisonAxis axis = ComparisonAxis::kStep;
  std::vector<double> at;  // points: those of the first run
  std::vector<ComparedRun> runs;
};

// Precondition: `runs` is not empty. The first is what the others are held against.
Comparison CompareRuns(std::span<const TrainingRun> runs, ComparisonAxis axis);

}  // namespace lockstep::training
