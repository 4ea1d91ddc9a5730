// Episodes at the frontier of a running job.
#pragma once

#include "training/steps.h"
#include "training/stragglers.h"

namespace lockstep::training {

// Behind the last step nothing is known yet, and an episode whose end is too near to it may go on: what comes later
// would be joined to it. Such an episode lasts to the last step and is open.
void KeepEpisodesOpen(const StepTable& steps, StragglerAnswer& answer);

}  // namespace lockstep::training
