// Reads the network interfaces of a job's hosts from the series of host exporters.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/load_context.h"
#include "model/sample.h"
#include "training/devices/links.h"
#include "training/job/job.h"

namespace lockstep::answers {

// Such series name hosts but not jobs. They belong to the job if a label (`instance`, `Hostname`,
// `hostname`, `host`, `node`, `nodename`) names a host of one of its ranks, with or without port or
// domain.
absl::StatusOr<std::vector<training::NetworkLink>> ReadLinks(const training::Job& job,
                                                             const TimeRange& range,
                                                             const LoadContext& context);

}  // namespace lockstep::answers
