// A number that a verdict rests on.
#pragma once

#include <string>

#include "training/rank_matrix.h"

namespace lockstep::training {

struct Evidence {
  std::string signal = {};  // "own_time_excess", "DCGM_FI_PROF_SM_ACTIVE"
  double value = kUnknown;  // of the rank or device in question
  double reference =
      kUnknown;            // of its peers, its past, or the threshold; unknown if there is none
  std::string unit = {};   // "ratio", "seconds", "W"...
  std::string words = {};  // what it says
};

}  // namespace lockstep::training
