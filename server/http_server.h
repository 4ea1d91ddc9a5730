// HttpServer: a listening socket, its connections and the threads that serve them.
//
// Connections are spread over a few I/O threads; requests are handled on a bounded pool of workers.
// All methods are safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "api/http.h"
#include "base/status.h"
#include "server/audit_log.h"
#include "server/browser_guard.h"
#include "server/http_limits.h"
#include "server/http_stats.h"
#include "server/web_config.h"

namespace lockstep::server {

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an IP address
  uint16_t port = 9009;            // 0: any free one
  std::string cors_origin;         // see CorsPolicy
  BrowserGuardOptions browsers;
  AuditLog* audit = nullptr;  // outlives the server; null: none is kept
  WebConfig web;
  HttpLimits limits;
  int io_threads = 2;
  int worker_threads = 4;
};

class HttpServer {
 public:
  // Listens when it returns. `handler` outlives the server.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(HttpServerOptions options,
                                                           api::Handler& handler);
  // Shuts down without patience, and waits for the handler to let go of the last request.
  virtual ~HttpServer() = default;

  // "http://127.0.0.1:9009", with the port that was really taken.
  virtual const std::string& url() const = 0;

  // Stops listening, closes idle connections, and lets requests under way finish for at most
  // `patience`; then cancels and cuts what is left. Returns whether nothing had to be cut.
  // Idempotent.
  virtual bool Shutdown(std::chrono::milliseconds patience) = 0;

  // Takes the credentials, certificates and headers of `web` for what comes from here on. Fails, and changes nothing, if
  // files of it cannot be used, or if it turns TLS on or off.
  virtual absl::Status Reload(const WebConfig& web) = 0;

  // From here on; see HttpLimits.
  virtual void SetMaxConnections(size_t max_connections) = 0;

  virtual HttpStats stats() const = 0;
};

}  // namespace lockstep::server
