// Episode scales for short steps.
#pragma once

#include <span>
#include <vector>

#include "training/episodes/episodes.h"

namespace lockstep::training {

// Adapts `scales`, which suit steps of 0.2 s and more, to steps of `step_seconds`. For shorter
// steps, windows and the shortest episode contain more steps, so that they last as long. Other
// activity on a host (garbage collection, other processes) takes up to a second or two, which is
// many steps of a fast job but not a state of a rank. An unknown `step_seconds` leaves the scales
// unchanged.
std::vector<EpisodeScale> ScalesForSteps(std::span<const EpisodeScale> scales, double step_seconds);

}  // namespace lockstep::training
