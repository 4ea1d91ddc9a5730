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
#include "server/auth/authenticator.h"
#include "server/auth/web_config.h"
#include "server/http/browser_guard.h"
#include "server/http/cors.h"
#include "server/limits/body_budget.h"
#include "server/limits/fair_connections.h"
#include "server/limits/http_limits.h"
#include "server/limits/worker_pool.h"
#include "server/metrics/server_stats.h"
#include "server/request_gate.h"
#include "server/session.h"

namespace lockstep::server {

class Listener;

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
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "http://127.0.0.1:9009", with the actual port.
  const std::string& url() const { return url_; }

  // Stops listening, closes idle connections, and lets requests in flight finish for at most
  // `patience`; then cancels and closes the rest. Returns whether all of them finished. Idempotent.
  bool Shutdown(std::chrono::milliseconds patience);

  // Uses the credentials, certificates and headers of `web` from now on. Fails, and changes
  // nothing, if its files cannot be used, or if it turns TLS on or off.
  absl::Status Reload(const WebConfig& web);

  // Applies to new connections; see HttpLimits.
  void SetMaxConnections(size_t max_connections);

  HttpStats stats() const;

 private:
  HttpServer(HttpServerOptions options, CorsPolicy cors, std::unique_ptr<Listener> listener,
             api::Handler& handler);
  void Open(std::unique_ptr<Transport> transport);

  const HttpServerOptions options_;
  HttpCounters counters_;
  BodyBudget body_budget_;
  FairConnections<Session> sessions_;
  WorkerPool workers_;
  WorkerPool probe_workers_;
  WorkerPool part_workers_;
  Authenticator authenticator_;
  RequestGate gate_;
  // The last member with threads, because they use all of the above.
  const std::unique_ptr<Listener> listener_;
  const std::string url_;
};

}  // namespace lockstep::server
