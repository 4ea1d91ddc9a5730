// Steps that each rank reports for itself, put into one table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "training/steps.h"

namespace lockstep::training {

struct NamedColumn {
  std::string name;
  std::vector<double> values;
};

// What one rank reported, in any order of steps. Each column that is not empty has a value per entry of
// `step`. The later entry of a step that is there twice counts.
struct RankSteps {
  std::vector<int64_t> step;
  std::vector<int64_t> end_ms;
  std::vector<double> step_seconds;
  std::vector<NamedColumn> phases;  // the kind follows from the name
  std::vector<double> own_seconds;
  std::vector<double> loss;
  std::vector<double> gradient_norm;
  std::vector<double> memory_allocated_bytes;
  std::vector<double> model_flops;
  std::vector<double> tokens;
};

// Element r of `ranks` is row r of the table. A step that some rank reports is a column.
StepTable AlignSteps(std::span<const RankSteps> ranks);

}  // namespace lockstep::training
