// The limits among the settings that a server takes again while it runs.
#pragma once

#include "api/api.h"
#include "cli/serve_options.h"
#include "server/http_server.h"
#include "storage/db/store.h"

namespace lockstep::cli {

// Sets the memory that all clients together may make the process hold.
void LimitMemory(const ServeOptions& options);

SeriesLimits SeriesLimitsOf(const ServeOptions& options);

struct Limited {
  Store* store = nullptr;
  tenants::Tenants* tenants = nullptr;
  api::Api* api = nullptr;
  server::HttpServer* http = nullptr;  // null: it is not there yet
};
// What `options` say, from here on.
void SetLimits(const ServeOptions& options, const Limited& limited);

}  // namespace lockstep::cli
