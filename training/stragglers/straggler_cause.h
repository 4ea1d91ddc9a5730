// Finds why a rank is late: the phase that took longer, and what its GPU reports.
#pragma once

#include <vector>

#include "training/episodes/slow_rows.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {

// Sets cause and evidence from the phase with the largest excess over the peers in slow steps,
// minus its excess in the row's other steps. Leaves the cause unknown if the table has no work
// phases. With kCollectiveWaits, a rank's own time includes sending and receiving, so the network
// counts as a phase.
void SetCauseFromPhases(StragglerMethod method, const StepTable& table,
                        const std::vector<std::vector<size_t>>& groups, const SlowRows& found,
                        const SlowRow& slow, SlowRankFinding& finding);

// Sets the cause and the GPU reason, if still unknown, from device counters in the finding's
// longest episode, and adds evidence. `devices` has one element per rank, or is empty.
void SetCauseFromDevices(std::span<const GpuCounters> devices, const std::vector<size_t>& group,
                         SlowRankFinding& finding);

}  // namespace lockstep::training
