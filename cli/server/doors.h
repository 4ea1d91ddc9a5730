// The server's listening endpoints: their options, and warnings about them.
#pragma once

#include <cstddef>
#include <memory>

#include "api/http/http.h"
#include "base/status.h"
#include "cli/settings/serve_options.h"
#include "server/auth/audit_log.h"
#include "server/http_server.h"
#include "server/otlp_grpc/otlp_grpc_server.h"

namespace lockstep::cli {

// Null if not configured.
absl::StatusOr<std::unique_ptr<server::AuditLog>> OpenAuditLog(const ServeOptions& options);

// The number of HTTP connections that may be open at once, limited by the available file handles.
// Logs a warning if these are too few.
size_t MaxConnections(const ServeOptions& options);

// Reads the web configuration. `audit` may be null, and must outlive the server.
absl::StatusOr<server::HttpServerOptions> MakeHttpOptions(const ServeOptions& options,
                                                          server::AuditLog* audit);

// Null if not configured.
absl::StatusOr<std::unique_ptr<server::OtlpGrpcServer>> StartOtlpGrpc(const ServeOptions& options,
                                                                      const server::WebConfig& web,
                                                                      server::AuditLog* audit,
                                                                      api::Handler& handler);

// Logs a warning for each endpoint that accepts requests from anyone.
void WarnOfOpenDoors(const ServeOptions& options, const server::WebConfig& web);

}  // namespace lockstep::cli
