// OtlpGrpcServer: the metrics service of OTLP over gRPC, on a port of its own.
//
// A message is not looked at here: it goes to the handler as the body of POST /v1/metrics, and the
// answer becomes that of the call. What HTTP says by 429 and 503 with Retry-After, gRPC says by
// RESOURCE_EXHAUSTED and UNAVAILABLE with a RetryInfo. Users, tokens and TLS are those of HTTP,
// credentials in the metadata "authorization". Messages may be gzip, deflate or zstd. All methods
// are safe from any thread.
//
// Source: OpenTelemetry Protocol Specification, "OTLP/gRPC".
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "api/http.h"
#include "base/status.h"
#include "server/audit_log.h"
#include "server/fair_connections.h"
#include "server/otlp_grpc/connection.h"
#include "server/otlp_grpc/grpc_door.h"
#include "server/otlp_grpc/grpc_limits.h"
#include "server/otlp_grpc_stats.h"
#include "server/web_config.h"

namespace lockstep::server {

class Listener;

struct OtlpGrpcOptions {
  std::string host = "127.0.0.1";  // an IP address
  uint16_t port = 4317;            // 0: any free one
  WebConfig web;
  AuditLog* audit = nullptr;  // outlives the server; null: none is kept
  GrpcLimits limits;
  int io_threads = 1;
  // Decoding is most of their work; two keep up with the shards of a small machine, and bound what
  // a large one gives.
  int worker_threads = 2;
};

class OtlpGrpcServer {
 public:
  // Listens when it returns. `handler` outlives the server.
  static absl::StatusOr<std::unique_ptr<OtlpGrpcServer>> Start(const OtlpGrpcOptions& options,
                                                               api::Handler& handler);
  // Shuts down without patience, and waits for the handler to let go of the last call.
  ~OtlpGrpcServer();
  OtlpGrpcServer(const OtlpGrpcServer&) = delete;
  OtlpGrpcServer& operator=(const OtlpGrpcServer&) = delete;

  // "127.0.0.1:4317", with the port that was really taken.
  const std::string& address() const;

  // Stops listening and lets calls under way finish for at most `patience`; then cancels what is
  // left. Idempotent.
  void Shutdown(std::chrono::milliseconds patience);

  // Takes the credentials of `web` for calls, and its certificates for connections, from here on.
  // Fails, and changes nothing, if files of it cannot be used, or if it turns TLS on or off.
  absl::Status Reload(const WebConfig& web);

  OtlpGrpcStats stats() const;

 private:
  OtlpGrpcServer(const OtlpGrpcOptions& options, api::Handler& handler,
                 std::unique_ptr<Listener> listener);
  void Open(std::unique_ptr<Transport> transport);

  GrpcDoor door_;
  FairConnections<Connection> connections_;
  // Last: its threads use all of the above.
  const std::unique_ptr<Listener> listener_;
};

}  // namespace lockstep::server
