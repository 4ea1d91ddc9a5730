// The flags that say which server a verb talks to.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/http_client.h"

namespace lockstep::cli {

// `url_flag` names the one with the server's URL. `server` outlives `verb`.
void AddServerFlags(CLI::App& verb, const char* url_flag, HttpClientOptions& server);

}  // namespace lockstep::cli
