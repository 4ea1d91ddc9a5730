// `lockstep healthy`: whether a server responds, for health checks of containers without curl.
#pragma once

#include "cli/client/http_client.h"
#include "cli/process/exit_code.h"

namespace lockstep::cli {

// Succeeds if the server reports that it is healthy, or if it asks for credentials that were not
// given, since it responds then too. Otherwise prints the reason to standard error.
ExitCode Healthy(HttpClientOptions server);

}  // namespace lockstep::cli
