// Scales of episodes for steps that are short.
#pragma once

#include <span>
#include <vector>

#include "training/episodes.h"

namespace lockstep::training {

// `scales`, which suit steps of 0.2 s and more, for steps of `step_seconds`: where those are shorter, windows and the
// shortest episode hold more of them, so that they last as long. What hosts do beside training (garbage collection,
// other processes) takes up to a second or two, which is many steps of a fast job and no state of a rank. Unknown
// `step_seconds` leave the scales as they are.
std::vector<EpisodeScale> ScalesForSteps(std::span<const EpisodeScale> scales, double step_seconds);

}  // namespace lockstep::training
