// Whether it is the network that makes ranks late, or the whole job.
#pragma once

#include "training/stragglers.h"

namespace lockstep::training {

// A rank's own time says nothing of a slow link: all ranks wait for what goes over it, so steps become longer and
// nobody stands out. So where no rank is named, but the job became slower or a rank exchanges longer than its peers,
// and links of few ranks are in trouble just then, those ranks are named. Where a rank is named for no known cause, its
// links are asked.
void BlameNetwork(const StragglerInput& input, StragglerAnswer& answer);

}  // namespace lockstep::training
