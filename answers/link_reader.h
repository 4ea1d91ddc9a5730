// The network interfaces of a job's hosts, as exporters of hosts count them.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "model/sample.h"
#include "training/job.h"
#include "training/links.h"

namespace lockstep::answers {

// Such series know hosts and not jobs: they are of the job if a label (`instance`, `Hostname`, `hostname`, `host`,
// `node`, `nodename`) says a host that one of its ranks runs on, with a port or a domain or without.
absl::StatusOr<std::vector<training::NetworkLink>> ReadLinks(const training::Job& job,
                                                             const TimeRange& range,
                                                             const LoadContext& context);

}  // namespace lockstep::answers
