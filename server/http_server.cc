#include "server/http_server.h"

#include <utility>

#include "server/socket/listener.h"

namespace lockstep::server {
namespace {

constexpr const char* kServerIsFull =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n"
    "Content-Length: 70\r\n\r\n"
    "Too many connections are open (web.max-connections); try again later.\n";

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options,
                                                              api::Handler& handler) {
  LOCKSTEP_ASSIGN_OR_RETURN(CorsPolicy cors, CorsPolicy::Make(options.cors_origin));
  ListenerOptions listening;
  listening.host = options.host;
  listening.port = options.port;
  listening.io_threads = options.io_threads;
  listening.refusal = kServerIsFull;
  const TlsServerConfig* const tls = options.web.tls ? &*options.web.tls : nullptr;
  LOCKSTEP_ASSIGN_OR_RETURN(auto listener, Listener::Bind(std::move(listening), tls));
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::move(options), std::move(cors), std::move(listener), handler));
}

HttpServer::HttpServer(HttpServerOptions options, CorsPolicy cors,
                       std::unique_ptr<Listener> listener, api::Handler& handler)
    : options_(std::move(options)),
      body_budget_(options_.limits.max_body_bytes_in_flight),
      sessions_(options_.limits.max_connections, options_.limits.max_reserved_connections),
      workers_(options_.worker_threads, options_.limits.max_queued_requests, kRequestQueue),
      probe_workers_(1, options_.limits.max_queued_probes),
      part_workers_(options_.worker_threads, 0),
      authenticator_(options_.web),
      gate_({std::move(cors), options_.browsers, options_.audit, options_.web.headers},
            authenticator_, {workers_, probe_workers_, part_workers_}, handler, counters_),
      listener_(std::move(listener)),
      url_((options_.web.tls ? "https://" : "http://") + listener_->address()) {
  listener_->Start(
      {.admit = [this](const std::string& address) { return sessions_.Admit(address); },
       .open = [this](std::unique_ptr<Transport> transport) { Open(std::move(transport)); },
       .should_wait = [this] { return sessions_.are_closing_many(); },
       .out_of_handles = [this] { sessions_.MakeRoom(); }});
}

HttpServer::~HttpServer() { Shutdown(std::chrono::milliseconds(0)); }

void HttpServer::Open(std::unique_ptr<Transport> transport) {
  Transport& loop = *transport;
  std::shared_ptr<Session> session = sessions_.Open(
      SessionShared{options_.limits, gate_, body_budget_, counters_}, std::move(transport));
  if (session != nullptr) loop.Post([session] { session->Start(); });
}

bool HttpServer::Shutdown(std::chrono::milliseconds patience) {
  listener_->Stop();
  LiveObjects<Session>& sessions = sessions_.alive();
  sessions.Close();
  sessions.ForEach([](Session& session) { session.Drain(); });
  const bool clean = sessions.AwaitEmpty(patience);
  sessions.ForEach([](Session& session) { session.Abort(); });
  sessions.AwaitEmpty();
  return clean;
}

absl::Status HttpServer::Reload(const WebConfig& web) {
  LOCKSTEP_RETURN_IF_ERROR(listener_->SetTls(web.tls ? &*web.tls : nullptr));
  gate_.SetHeaders(web.headers);
  authenticator_.Configure(web);
  return absl::OkStatus();
}

void HttpServer::SetMaxConnections(size_t max_connections) {
  sessions_.SetMaxOpen(max_connections);
}

HttpStats HttpServer::stats() const {
  HttpStats stats;
  stats.open_connections = sessions_.size();
  stats.accepted_connections = listener_->accepted_connections();
  stats.refused_connections = listener_->refused_connections() + counters_.refused_connections;
  stats.displaced_connections = counters_.displaced_connections;
  stats.requests = counters_.requests;
  stats.malformed_requests = counters_.malformed_requests;
  stats.timed_out_requests = counters_.timed_out_requests;
  stats.denied_requests = counters_.denied_requests;
  stats.overload_refusals = counters_.overload_refusals;
  stats.abandoned_requests = counters_.abandoned_requests;
  stats.running_requests = gate_.running_requests();
  stats.body_bytes_held = body_budget_.held_bytes();
  stats.received_bytes = counters_.received_bytes;
  stats.sent_bytes = counters_.sent_bytes;
  return stats;
}

}  // namespace lockstep::server
