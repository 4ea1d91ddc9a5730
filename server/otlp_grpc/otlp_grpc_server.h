// OtlpGrpcServer: the metrics service of OTLP over gRPC, on a port of its own.
//
// A message is not looked at here: it goes to the handler as the body of POST /v1/metrics, and the answer becomes
// that of the call. What HTTP says by 429 and 503 with Retry-After, gRPC says by RESOURCE_EXHAUSTED and UNAVAILABLE
// with a RetryInfo. Users and tokens are those of HTTP, in the metadata "authorization". Messages may be gzip or
// deflate. All methods are safe from any thread.
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
#include "server/otlp_grpc_stats.h"
#include "server/web_config.h"

namespace lockstep::server {

struct OtlpGrpcOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 4317;  // 0: any free one
  WebConfig web;
  AuditLog* audit = nullptr;  // outlives the server; null: none is kept
  uint64_t max_message_bytes = 32 << 20;
  uint64_t max_message_bytes_in_flight = 512 << 20;   // of all calls
  int max_calls = 256;                                // at once
  std::chrono::milliseconds message_timeout{60'000};  // from the call to the end of its message
};

class OtlpGrpcServer {
 public:
  // Listens when it returns. `handler` outlives the server. Fails on what the web configuration asks of TLS and
  // gRPC has not: cipher suites, curves, versions but 1.2 and 1.3 together, names of clients.
  static absl::StatusOr<std::unique_ptr<OtlpGrpcServer>> Start(OtlpGrpcOptions options,
                                                               api::Handler& handler);
  // Shuts down without patience, and waits for the handler to let go of the last call.
  virtual ~OtlpGrpcServer() = default;

  // "127.0.0.1:4317", with the port that was really taken.
  virtual const std::string& address() const = 0;

  // Stops listening and lets calls under way finish for at most `patience`; then cancels what is left. Idempotent.
  virtual void Shutdown(std::chrono::milliseconds patience) = 0;

  // Takes the credentials of `web` for calls from here on; its certificates by a restart alone.
  virtual void Reload(const WebConfig& web) = 0;

  virtual OtlpGrpcStats stats() const = 0;
};

}  // namespace lockstep::server
