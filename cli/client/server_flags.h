// The flags that select the server a verb talks to. They are the same for all verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/client/http_client.h"

namespace lockstep::cli {

// The server's address if --url is not given.
std::string UrlWithoutFlag();

// The address comes from --url, else from the environment variable LOCKSTEP_URL, else it is
// http://127.0.0.1:9009. `old_url_flag` is the hidden spelling of --url in earlier releases, or "".
// `server` must outlive `verb`.
void AddServerFlags(CLI::App& verb, const char* old_url_flag, HttpClientOptions& server);

}  // namespace lockstep::cli
