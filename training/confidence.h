// What an answer rests on, so that a reader can tell a finding from a guess.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "training/rank_matrix.h"

namespace lockstep::training {

struct Confidence {
  size_t steps = 0;    // steps the answer looked at, warm-up left out
  size_t samples = 0;  // device samples it looked at, of the device with the most
  // Share by which the deciding number would have to change for another answer; unknown where
  // no threshold decided.
  double margin = kUnknown;
  std::vector<std::string> missing = {};  // signals that would have told more
};

}  // namespace lockstep::training
