// Why a server says nothing of training jobs: which there are instead, and what to do.
#pragma once

#include <string>

#include "cli/http_client.h"

namespace lockstep::cli {

// For a list of jobs that is empty: a line or two. `has_times`: whether the user named the times to list jobs of,
// which are otherwise the last 30 days.
std::string WhyNoJobs(HttpClient& client, bool has_times);

// For a question about a job that failed: "; did you mean ...?" and the like if the server has no such job, else "".
std::string AdviceOnMissingJob(HttpClient& client, const std::string& job);

}  // namespace lockstep::cli
