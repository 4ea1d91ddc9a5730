// A job's starts, told apart by steps that go back.
#pragma once

#include <span>
#include <vector>

#include "training/step_alignment.h"

namespace lockstep::training {

// What ranks reported over the life of a job, divided into its attempts: where a rank's step number falls
// with time, a new one began. Element a of the result holds every rank's steps of attempt a, in order of
// time; a rank that reported nothing in it has no steps.
std::vector<std::vector<RankSteps>> SplitAttempts(std::span<const RankSteps> ranks);

}  // namespace lockstep::training
