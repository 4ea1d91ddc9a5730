// A number that supports a verdict.
#pragma once

#include <string>

#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

struct Evidence {
  std::string signal = {};      // "own_time_excess", "DCGM_FI_PROF_SM_ACTIVE"
  double value = kUnknown;      // of the rank or device in question
  double reference = kUnknown;  // value of its peers or its past, or the threshold; unknown if none
  std::string unit = {};        // "ratio", "seconds", "W"...
  std::string words = {};       // explanation for people
};

}  // namespace lockstep::training
