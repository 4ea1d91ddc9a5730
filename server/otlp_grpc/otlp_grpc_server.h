// OtlpGrpcServer: the OTLP metrics service over gRPC, on its own port.
//
// Messages are not parsed here: each becomes the body of POST /v1/metrics for the handler, and the
// response becomes the call's response. 429 and 503 with Retry-After become RESOURCE_EXHAUSTED and
// UNAVAILABLE with a RetryInfo. Users, tokens and TLS are the same as for HTTP, with credentials in
// the metadata "authorization". Messages may be compressed with gzip, deflate or zstd. All methods
// are safe from any thread.
//
// Source: OpenTelemetry Protocol Specification, "OTLP/gRPC".
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "api/http/http.h"
#include "base/status.h"
#include "server/auth/audit_log.h"
#include "server/auth/web_config.h"
#include "server/limits/fair_connections.h"
#include "server/metrics/server_stats.h"
#include "server/otlp_grpc/connection.h"
#include "server/otlp_grpc/grpc_door.h"
#include "server/otlp_grpc/grpc_limits.h"

namespace lockstep::server {

class Listener;

struct OtlpGrpcOptions {
  std::string host = "127.0.0.1";  // an IP address
  uint16_t port = 4317;            // 0: any free one
  WebConfig web;
  AuditLog* audit = nullptr;  // must outlive the server; null: no audit log
  GrpcLimits limits;
  int io_threads = 1;
  // The workers mostly decode; two of them keep up with the shards of a small machine, and limit
  // the load on a large one.
  int worker_threads = 2;
};

class OtlpGrpcServer {
 public:
  // Listens when it returns. `handler` must outlive the server.
  static absl::StatusOr<std::unique_ptr<OtlpGrpcServer>> Start(const OtlpGrpcOptions& options,
                                                               api::Handler& handler);
  // Shuts down immediately, and waits for the handler to release the last call.
  ~OtlpGrpcServer();
  OtlpGrpcServer(const OtlpGrpcServer&) = delete;
  OtlpGrpcServer& operator=(const OtlpGrpcServer&) = delete;

  // "127.0.0.1:4317", with the actual port.
  const std::string& address() const;

  // Stops listening and lets calls in flight finish for at most `patience`; then cancels the rest.
  // Idempotent.
  void Shutdown(std::chrono::milliseconds patience);

  // Uses the credentials of `web` for new calls, and its certificates for new connections. Fails,
  // and changes nothing, if its files cannot be used, or if it turns TLS on or off.
  absl::Status Reload(const WebConfig& web);

  OtlpGrpcStats stats() const;

 private:
  OtlpGrpcServer(const OtlpGrpcOptions& options, api::Handler& handler,
                 std::unique_ptr<Listener> listener);
  void Open(std::unique_ptr<Transport> transport);

  GrpcDoor door_;
  FairConnections<Connection> connections_;
  // The last member, because its threads use all of the above.
  const std::unique_ptr<Listener> listener_;
};

}  // namespace lockstep::server
