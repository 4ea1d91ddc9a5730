// How much work each step had to do, and how long that usually takes.
//
// A growing batch, sequences of random length and packed samples make steps longer although nothing
// is wrong. If the trainer logs operations or tokens, steps are compared with steps that did the
// same amount of work.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "training/job/steps.h"

namespace lockstep::training {

class StepWork {
 public:
  explicit StepWork(const StepTable& table);

  // Whether steps did different amounts of work (differences above one or two percent).
  bool varies() const { return !level_of_.empty(); }

  // Element n is the median of `seconds` over the steps that did as much work as step n, or over
  // all steps if the work is unknown or constant. `seconds` has one element per step.
  std::vector<double> Usual(std::span<const double> seconds) const;

 private:
  size_t steps_ = 0;
  std::vector<size_t> level_of_;  // by step; empty if all steps are equal
  size_t level_count_ = 0;
};

}  // namespace lockstep::training
