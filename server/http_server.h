// HttpServer: a listening socket, its connections and the threads that serve them.
//
// Connections are distributed over a few I/O threads; requests are handled by a bounded pool of
// workers. All methods are safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "api/http/http.h"
#include "base/status.h"
#include "server/auth/audit_log.h"
#include "server/auth/web_config.h"
#include "server/http/browser_guard.h"
#include "server/limits/http_limits.h"
#include "server/metrics/server_stats.h"

namespace lockstep::server {

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an IP address
  uint16_t port = 9009;            // 0: any free one
  std::string cors_origin;         // see CorsPolicy
  BrowserGuardOptions browsers;
  AuditLog* audit = nullptr;  // must outlive the server; null: no audit log
  WebConfig web;
  HttpLimits limits;
  int io_threads = 2;
  int worker_threads = 4;
};

class HttpServer {
 public:
  // Listens when it returns. `handler` must outlive the server.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(HttpServerOptions options,
                                                           api::Handler& handler);
  // Shuts down immediately, and waits for the handler to release the last request.
  virtual ~HttpServer() = default;

  // "http://127.0.0.1:9009", with the actual port.
  virtual const std::string& url() const = 0;

  // Stops listening, closes idle connections, and lets requests in flight finish for at most
  // `patience`; then cancels and closes the rest. Returns whether all of them finished. Idempotent.
  virtual bool Shutdown(std::chrono::milliseconds patience) = 0;

  // Uses the credentials, certificates and headers of `web` from now on. Fails, and changes
  // nothing, if its files cannot be used, or if it turns TLS on or off.
  virtual absl::Status Reload(const WebConfig& web) = 0;

  // Applies to new connections; see HttpLimits.
  virtual void SetMaxConnections(size_t max_connections) = 0;

  virtual HttpStats stats() const = 0;
};

}  // namespace lockstep::server
