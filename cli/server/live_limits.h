// The limits that a running server reloads.
#pragma once

#include "api/api.h"
#include "cli/settings/serve_options.h"
#include "server/http_server.h"
#include "storage/db/store.h"

namespace lockstep::cli {

// Sets the memory that all clients together may use.
void LimitMemory(const ServeOptions& options);

SeriesLimits SeriesLimitsOf(const ServeOptions& options);

struct Limited {
  Store* store = nullptr;
  tenants::Tenants* tenants = nullptr;
  api::Api* api = nullptr;
  server::HttpServer* http = nullptr;  // null before it starts
};
// Applies the limits in `options`.
void SetLimits(const ServeOptions& options, const Limited& limited);

}  // namespace lockstep::cli
