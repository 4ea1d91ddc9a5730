// Whether a run is slower or faster than earlier runs of the same configuration, since which of
// them, and in which phase.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/job/job.h"
#include "training/job/steps.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

struct RunSummary {
  std::string job = {};
  size_t attempt = 0;
  TimeRange time = {};
  size_t steps = 0;                                  // after warm-up
  double step_seconds = kUnknown;                    // median
  std::map<std::string, double> phase_seconds = {};  // median over steps and ranks
  // What is known of its software and hardware beyond what makes runs comparable: versions, for
  // example.
  std::map<std::string, std::string> settings = {};
};

// Everything but `job`, `attempt`, `time` and `settings`. Unknown before 20 steps.
RunSummary SummaryOf(const StepTable& steps);

enum class RunChange { kUnknown, kNone, kSlower, kFaster };
std::string_view Name(RunChange change);

struct ChangedSetting {
  std::string name = {};
  std::string before = {};  // "" if it was not known
  std::string after = {};
};

struct RunComparison {
  RunChange change = RunChange::kUnknown;
  double usual_step_seconds = kUnknown;  // median of up to five runs before the change
  double change_ratio = kUnknown;        // 0.08: steps take 8 % longer
  double noise_ratio = kUnknown;         // a smaller change is none
  size_t base_count = 0;                 // of those runs
  // The first run with the change: an index of the predecessors, or none for the run itself.
  std::optional<size_t> since = {};
  // The phase with at least half of the change, if one has it.
  std::string phase = {};
  double phase_change_seconds = kUnknown;
  std::vector<ChangedSetting> settings = {};  // that changed with the first such run
};

// `predecessors` are the latest first. A change is larger than 3 % and than three deviations of the
// runs before it; with fewer than three of those, than 5 %.
RunComparison CompareRuns(const RunSummary& run, std::span<const RunSummary> predecessors);

}  // namespace lockstep::training
