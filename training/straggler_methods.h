// The ways to find stragglers, each for the data it needs. Used by stragglers.cc alone.
#pragma once

#include "training/episodes.h"
#include "training/stragglers.h"

namespace lockstep::training {

// `method` is one of the three that know steps of ranks.
StragglerAnswer StragglersByOwnTime(StragglerMethod method, const StragglerInput& input);

// An episode of columns as one of steps and time.
StragglerEpisode EpisodeAt(const StepTable& table, const Episode& episode);

StragglerAnswer StragglersByDeviceCounters(const StragglerInput& input);

// Since when the job is slow; which rank does it cannot be told.
StragglerAnswer StragglersByStepTime(const StragglerInput& input);

// What each step took, as if all had done the same amount of work: a step that is long because its batch
// is large is as long as the others.
std::vector<double> SecondsOfLikeWork(const StepTable& table);

// If the job's steps became longer by at least `least` of what they took before, the stretch from then
// on; steps that were longer at first do not count.
std::vector<Episode> SlowerSteps(const StepTable& table, double least_short, double least_long);

}  // namespace lockstep::training
