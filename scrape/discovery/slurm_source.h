// The nodes of a Slurm cluster as a source of targets, from what `scontrol show nodes --oneliner`
// prints.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

std::unique_ptr<TargetSource> MakeSlurmSource(SlurmDiscovery config);

// A target for each node, whatever its state. kInvalidArgument if the text is not such an output,
// or is empty.
absl::StatusOr<FoundTargets> SlurmTargets(std::string_view text, uint16_t port);

}  // namespace lockstep::scrape
