// Finds whether the network makes ranks late or slows the whole job.
#pragma once

#include "training/stragglers/stragglers.h"

namespace lockstep::training {

// A slow link does not show in a rank's own time: all ranks wait for its traffic, so steps become
// longer and no rank stands out. If no rank is named, but the job became slower or a rank
// communicates longer than its peers, and links of a few ranks have problems at that time, names
// those ranks. If a rank is named without a known cause, checks its links.
void BlameNetwork(const StragglerInput& input, StragglerAnswer& answer);

}  // namespace lockstep::training
