// Published phase times of three production jobs, with published verdicts.
#pragma once

#include <string_view>

#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

struct TracedJob {
  Job job;
  StepTable steps;
};

// "ar", "st" or "se".
TracedJob LoadTrace(std::string_view name);

}  // namespace lockstep::training
