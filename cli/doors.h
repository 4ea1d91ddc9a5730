// The doors of a server that serves: what their options say, and what people should know of them.
#pragma once

#include <cstddef>
#include <memory>

#include "api/http.h"
#include "base/status.h"
#include "cli/serve_options.h"
#include "server/audit_log.h"
#include "server/http_server.h"
#include "server/otlp_grpc/otlp_grpc_server.h"

namespace lockstep::cli {

// Null when none is wanted.
absl::StatusOr<std::unique_ptr<server::AuditLog>> OpenAuditLog(const ServeOptions& options);

// That HTTP may have open at once, as far as the file handles go; the log says if these are too
// few.
size_t MaxConnections(const ServeOptions& options);

// Reads the web configuration. `audit` may be null, and outlives the doors.
absl::StatusOr<server::HttpServerOptions> MakeHttpOptions(const ServeOptions& options,
                                                          server::AuditLog* audit);

// Null when none is wanted.
absl::StatusOr<std::unique_ptr<server::OtlpGrpcServer>> StartOtlpGrpc(const ServeOptions& options,
                                                                      const server::WebConfig& web,
                                                                      server::AuditLog* audit,
                                                                      api::Handler& handler);

// Says in the log which of them everybody may use who reaches them.
void WarnOfOpenDoors(const ServeOptions& options, const server::WebConfig& web);

}  // namespace lockstep::cli
