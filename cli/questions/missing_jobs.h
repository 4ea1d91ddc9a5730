// Explains why a server returns no training jobs: which jobs exist instead, and what to do.
#pragma once

#include <string>

#include "cli/client/http_client.h"

namespace lockstep::cli {

// A line or two about an empty job list. `has_times`: whether the user set the time range, which
// defaults to the last 30 days.
std::string WhyNoJobs(HttpClient& client, bool has_times);

// Explains a failed request about a job: "; did you mean ...?" or the like if the server has no
// such job, else "".
std::string AdviceOnMissingJob(HttpClient& client, const std::string& job);

}  // namespace lockstep::cli
