#include "server/otlp_grpc/otlp_grpc_server.h"

#include <algorithm>
#include <utility>

#include "server/socket/listener.h"

namespace lockstep::server {
namespace {

// The protocol required of TLS clients (RFC 9113, 3.2).
constexpr const char* kProtocol = "h2";

const TlsServerConfig* TlsOf(const WebConfig& web) { return web.tls ? &*web.tls : nullptr; }

}  // namespace

absl::StatusOr<std::unique_ptr<OtlpGrpcServer>> OtlpGrpcServer::Start(
    const OtlpGrpcOptions& options, api::Handler& handler) {
  ListenerOptions listening;
  listening.host = options.host;
  listening.port = options.port;
  listening.io_threads = options.io_threads;
  listening.protocol = kProtocol;
  LOCKSTEP_ASSIGN_OR_RETURN(auto listener,
                            Listener::Bind(std::move(listening), TlsOf(options.web)));
  return std::unique_ptr<OtlpGrpcServer>(new OtlpGrpcServer(options, handler, std::move(listener)));
}

OtlpGrpcServer::OtlpGrpcServer(const OtlpGrpcOptions& options, api::Handler& handler,
                               std::unique_ptr<Listener> listener)
    : door_(handler, options.web, options.audit, options.limits, options.worker_threads),
      connections_(options.limits.max_connections, 0),
      listener_(std::move(listener)) {
  listener_->Start(
      {.admit = [this](const std::string& address) { return connections_.Admit(address); },
       .open = [this](std::unique_ptr<Transport> transport) { Open(std::move(transport)); },
       .should_wait = [this] { return connections_.are_closing_many(); },
       .out_of_handles = [this] { connections_.MakeRoom(); }});
}

OtlpGrpcServer::~OtlpGrpcServer() { Shutdown(std::chrono::milliseconds(0)); }

const std::string& OtlpGrpcServer::address() const { return listener_->address(); }

void OtlpGrpcServer::Open(std::unique_ptr<Transport> transport) {
  Transport& loop = *transport;
  std::shared_ptr<Connection> connection = connections_.Open(door_, std::move(transport));
  if (connection == nullptr) return;
  loop.Post([connection] { connection->Start(); });
}

void OtlpGrpcServer::Shutdown(std::chrono::milliseconds patience) {
  listener_->Stop();
  LiveObjects<Connection>& connections = connections_.alive();
  connections.Close();
  connections.ForEach([](Connection& connection) { connection.Drain(); });
  connections.AwaitEmpty(patience);
  connections.ForEach([](Connection& connection) { connection.Abort(); });
  connections.AwaitEmpty();
}

absl::Status OtlpGrpcServer::Reload(const WebConfig& web) {
  LOCKSTEP_RETURN_IF_ERROR(listener_->SetTls(TlsOf(web)));
  door_.authenticator.Configure(web);
  return absl::OkStatus();
}

OtlpGrpcStats OtlpGrpcServer::stats() const {
  const GrpcCounters& counters = door_.counters;
  OtlpGrpcStats stats;
  for (size_t i = 0; i < kGrpcCodeCount; ++i) {
    const uint64_t count = counters.answers[i];
    if (count > 0) stats.calls.emplace(NameOf(static_cast<GrpcCode>(i)), count);
  }
  stats.calls_in_flight = door_.calls.taken();
  stats.received_bytes = counters.received_bytes;
  stats.open_connections = connections_.size();
  stats.refused_connections = listener_->refused_connections();
  stats.displaced_connections = counters.displaced_connections;
  stats.broken_connections = counters.broken_connections;
  return stats;
}

}  // namespace lockstep::server
