// Why a rank is late: the phase that took longer, and what its GPU says.
#pragma once

#include <vector>

#include "training/slow_rows.h"
#include "training/stragglers.h"

namespace lockstep::training {

// Sets cause and evidence from the phase with the largest excess over the peers in slow steps, less the
// excess it has in the row's other steps. Leaves the cause unknown if the table has no phases of work.
// By collective waits, a rank's own time holds what it sends and receives: then the network is such a phase.
void SetCauseFromPhases(StragglerMethod method, const StepTable& table,
                        const std::vector<std::vector<size_t>>& groups, const SlowRows& found,
                        const SlowRow& slow, SlowRankFinding& finding);

// Sets what is still unknown of cause and GPU reason from device counters in the finding's longest
// episode, and adds their evidence. `devices` is one per rank, or empty.
void SetCauseFromDevices(std::span<const GpuCounters> devices, const std::vector<size_t>& group,
                         SlowRankFinding& finding);

}  // namespace lockstep::training
