// The evidence behind an answer, so that a reader can tell a finding from a guess.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

struct Confidence {
  size_t steps = 0;    // steps that the answer used, without warm-up
  size_t samples = 0;  // device samples that it used, of the device with the most
  // Relative change of the deciding number that would give another answer; unknown if no threshold
  // decided.
  double margin = kUnknown;
  std::vector<std::string> missing = {};  // signals that would have improved the answer
};

}  // namespace lockstep::training
