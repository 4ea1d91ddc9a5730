// Methods to find stragglers, each for different data. Only stragglers.cc uses them.
#pragma once

#include "training/episodes/episodes.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {

// `method` must be one of the three that use the steps of ranks.
StragglerAnswer StragglersByOwnTime(StragglerMethod method, const StragglerInput& input);

// Converts an episode from columns to steps and time.
StragglerEpisode EpisodeAt(const StepTable& table, const Episode& episode);

StragglerAnswer StragglersByDeviceCounters(const StragglerInput& input);

// Finds since when the job is slow, but cannot name the rank.
StragglerAnswer StragglersByStepTime(const StragglerInput& input);

// The duration of each step, normalized to the same amount of work, so that a step with a large
// batch is as long as the others.
std::vector<double> SecondsOfLikeWork(const StepTable& table);

// If the job's steps became slower by at least `least_short` (short windows) or `least_long` (long
// ones), the stretch from then on. Steps that were slower at first do not count.
std::vector<Episode> SlowerSteps(const StepTable& table, double least_short, double least_long);

}  // namespace lockstep::training
