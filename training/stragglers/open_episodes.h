// Episodes at the frontier of a running job.
#pragma once

#include "training/job/steps.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {

// Nothing is known yet after the last step, so an episode that ends close to it may continue: later
// slow steps would be joined to it. Extends such an episode to the last step and marks it open.
void KeepEpisodesOpen(const StepTable& steps, StragglerAnswer& answer);

}  // namespace lockstep::training
