// The flags that say which server a verb talks to: the same for all verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/http_client.h"

namespace lockstep::cli {

// The address of the server if no --url is given.
std::string UrlWithoutFlag();

// The server's address is that of --url, else of the environment variable LOCKSTEP_URL, else
// http://127.0.0.1:9009. `old_url_flag` is how releases before spelled --url; it still works, and no help mentions it.
// Pass "" if there is none. `server` outlives `verb`.
void AddServerFlags(CLI::App& verb, const char* old_url_flag, HttpClientOptions& server);

}  // namespace lockstep::cli
