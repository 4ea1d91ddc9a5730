#include "cli/server/doors.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/log.h"
#include "base/threads/processors.h"
#include "server/limits/file_limit.h"

namespace lockstep::cli {
namespace {

bool IsLoopback(std::string_view host) { return host.starts_with("127.") || host == "::1"; }

// nullopt allows any host.
std::optional<std::vector<std::string>> AllowedHosts(const ServeOptions& options) {
  const std::vector<std::string>& given = options.allowed_hosts;
  if (std::find(given.begin(), given.end(), "*") != given.end()) return std::nullopt;
  if (given.empty() && !IsLoopback(options.host)) return std::nullopt;
  return given;
}

// Limits request bodies in flight to a share of the decoding memory.
uint64_t BodyBytesWithin(uint64_t max_bytes) {
  return std::min(max_bytes, MemoryBudget::OfProcess().MaxBytesOf(MemoryAccount::kDecoding) / 2);
}

}  // namespace

size_t MaxConnections(const ServeOptions& options) {
  const uint64_t handles = server::RaiseFileLimit();
  const size_t connections = server::ConnectionsWithin(handles, options.max_connections);
  if (connections < options.max_connections) {
    Log(LogLevel::kWarn, "the file limit allows fewer connections than web.max-connections",
        {{"connections", connections}, {"file_handles", handles}});
  }
  return connections;
}

absl::StatusOr<server::HttpServerOptions> MakeHttpOptions(const ServeOptions& options,
                                                          server::AuditLog* audit) {
  server::HttpServerOptions http;
  http.host = options.host;
  http.port = options.port;
  http.cors_origin = options.cors_origin;
  http.browsers = {AllowedHosts(options), options.external_url};
  http.audit = audit;
  http.limits.max_connections = MaxConnections(options);
  constexpr size_t kLeastReserved = 4;
  http.limits.max_reserved_connections = std::clamp(http.limits.max_connections / 4, kLeastReserved,
                                                    http.limits.max_reserved_connections);
  http.limits.max_body_bytes_in_flight = BodyBytesWithin(http.limits.max_body_bytes_in_flight);
  http.limits.idle_timeout = options.idle_timeout;
  http.limits.first_request_timeout = options.first_request_timeout;
  http.limits.min_transfer_bytes_per_second = options.min_transfer_bytes_per_second;
  http.limits.slow_transfer_timeout = options.slow_transfer_timeout;
  http.worker_threads = std::max(2, static_cast<int>(UsableProcessorCount()));
  if (!options.web_config_file.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(http.web, server::ReadWebConfig(options.web_config_file));
  }
  return http;
}

absl::StatusOr<std::unique_ptr<server::AuditLog>> OpenAuditLog(const ServeOptions& options) {
  if (options.audit_log_file.empty()) return std::unique_ptr<server::AuditLog>();
  return server::AuditLog::Open(options.audit_log_file);
}

absl::StatusOr<std::unique_ptr<server::OtlpGrpcServer>> StartOtlpGrpc(const ServeOptions& options,
                                                                      const server::WebConfig& web,
                                                                      server::AuditLog* audit,
                                                                      api::Handler& handler) {
  if (!options.otlp_grpc.has_value()) return std::unique_ptr<server::OtlpGrpcServer>();
  server::OtlpGrpcOptions grpc;
  grpc.host = options.otlp_grpc->host;
  grpc.port = options.otlp_grpc->port;
  grpc.web = web;
  grpc.audit = audit;
  grpc.limits.max_connections =
      server::ConnectionsWithin(server::RaiseFileLimit(), grpc.limits.max_connections);
  grpc.limits.max_message_bytes_in_flight =
      BodyBytesWithin(grpc.limits.max_message_bytes_in_flight);
  return server::OtlpGrpcServer::Start(grpc, handler);
}

void WarnOfOpenDoors(const ServeOptions& options, const server::WebConfig& web) {
  if (options.allowed_hosts.empty() && !IsLoopback(options.host)) {
    Log(LogLevel::kInfo, "requests may use any host name; set web.allowed-hosts to restrict them");
  }
  const bool wants_certificates =
      web.tls.has_value() && web.tls->client_auth == server::ClientAuth::kRequireAndVerify;
  if (web.wants_credentials() || wants_certificates) return;
  const auto warn = [](const std::string& host, std::string_view what) {
    if (IsLoopback(host)) return;
    Log(LogLevel::kWarn,
        "anyone who can reach this address has full access: web.config.file defines no users",
        {{"door", what}, {"host", host}});
  };
  warn(options.host, "http");
  if (options.otlp_grpc.has_value()) warn(options.otlp_grpc->host, "otlp-grpc");
}

}  // namespace lockstep::cli
