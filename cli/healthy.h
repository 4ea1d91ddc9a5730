// `lockstep healthy`: whether a server answers, for health checks of containers that have no curl.
#pragma once

#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

// Succeeds if the server says that it is healthy, or asks for credentials that were not given: then it answers too.
// Otherwise says why not on standard error.
ExitCode Healthy(HttpClientOptions server);

}  // namespace lockstep::cli
