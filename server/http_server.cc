#include "server/http_server.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "server/authenticator.h"
#include "server/io_loop.h"
#include "server/request_gate.h"
#include "server/session_registry.h"
#include "server/socket_transport.h"
#include "server/worker_pool.h"

namespace lockstep::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// How long no connection is accepted after the process ran out of file handles.
constexpr std::chrono::milliseconds kAcceptPause{100};

constexpr std::string_view kTooManyConnections =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n"
    "Content-Length: 48\r\n\r\n"
    "Too many connections are open; try again later.\n";

// The soft limit is 1024 on most systems; connections and store files need more.
void RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// No program that this process starts is to have it.
void CloseOnExec(int socket) { fcntl(socket, F_SETFD, FD_CLOEXEC); }

absl::StatusOr<tcp::acceptor> Listen(asio::io_context& context, const std::string& host,
                                     uint16_t port) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not an IP address", host));
  }
  const tcp::endpoint endpoint(address, port);
  tcp::acceptor acceptor(context);
  acceptor.open(endpoint.protocol(), error);
  if (!error) CloseOnExec(acceptor.native_handle());
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrFormat("cannot listen on %s port %d: %s", host, port, error.message()));
  }
  return acceptor;
}

class SocketServer final : public HttpServer {
 public:
  SocketServer(HttpServerOptions options, CorsPolicy cors, std::shared_ptr<TlsContext> tls,
               api::Handler& handler)
      : options_(std::move(options)),
        is_tls_(tls != nullptr),
        tls_(std::move(tls)),
        body_budget_(options_.limits.max_body_bytes_in_flight),
        workers_(options_.worker_threads, options_.limits.max_queued_requests),
        part_workers_(options_.worker_threads, 0),
        authenticator_(options_.web),
        gate_({std::move(cors), options_.browsers, options_.audit, options_.web.headers},
              authenticator_, workers_, part_workers_, handler, counters_) {
    for (int i = 0; i < options_.io_threads; ++i) loops_.push_back(std::make_unique<IoLoop>());
  }

  ~SocketServer() override { Shutdown(std::chrono::milliseconds(0)); }

  absl::Status Start() {
    absl::StatusOr<tcp::acceptor> acceptor =
        Listen(loops_.front()->context(), options_.host, options_.port);
    LOCKSTEP_RETURN_IF_ERROR(acceptor.status());
    acceptor_.emplace(*std::move(acceptor));
    accept_pause_.emplace(loops_.front()->context());
    error_code ignored;
    const tcp::endpoint endpoint = acceptor_->local_endpoint(ignored);
    const std::string address = endpoint.address().to_string();
    url_ = absl::StrFormat("%s://%s:%d", is_tls_ ? "https" : "http",
                           endpoint.address().is_v6() ? "[" + address + "]" : address,
                           endpoint.port());
    asio::post(acceptor_->get_executor(), [this] { Accept(); });
    return absl::OkStatus();
  }

  const std::string& url() const override { return url_; }

  bool Shutdown(std::chrono::milliseconds patience) override {
    StopListening();
    sessions_.Close();
    sessions_.ForEach([](Session& session) { session.Drain(); });
    const bool clean = sessions_.AwaitEmpty(patience);
    sessions_.ForEach([](Session& session) { session.Abort(); });
    sessions_.AwaitEmpty();
    return clean;
  }

  absl::Status Reload(const WebConfig& web) override {
    if (web.tls.has_value() != is_tls_) {
      return absl::FailedPreconditionError("TLS is turned on or off by a restart alone");
    }
    std::shared_ptr<TlsContext> tls;
    if (is_tls_) {
      LOCKSTEP_ASSIGN_OR_RETURN(tls, TlsContext::Make(*web.tls));
    }
    {
      const MutexLock lock(mutex_);
      tls_ = std::move(tls);
    }
    gate_.SetHeaders(web.headers);
    authenticator_.Configure(web);
    return absl::OkStatus();
  }

  HttpStats stats() const override {
    HttpStats stats;
    stats.open_connections = sessions_.size();
    stats.accepted_connections = counters_.accepted_connections;
    stats.refused_connections = counters_.refused_connections;
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

 private:
  std::shared_ptr<TlsContext> CurrentTls() const {
    const MutexLock lock(mutex_);
    return tls_;
  }

  // On the first loop's thread, as everything that touches the acceptor.
  void Accept() {
    if (!acceptor_->is_open()) return;
    IoLoop& loop = *loops_[next_loop_++ % loops_.size()];
    acceptor_->async_accept(loop.context(), [this, &loop](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return PauseAccepting(error);
      Open(loop, std::move(socket));
      Accept();
    });
  }

  void PauseAccepting(error_code error) {
    Log(LogLevel::kWarn, "cannot accept a connection", {{"error", error.message()}});
    accept_pause_->expires_after(kAcceptPause);
    accept_pause_->async_wait([this](error_code) { Accept(); });
  }

  void Open(IoLoop& loop, tcp::socket socket) {
    counters_.accepted_connections.fetch_add(1, std::memory_order_relaxed);
    error_code ignored;
    CloseOnExec(socket.native_handle());
    socket.set_option(tcp::no_delay(true), ignored);
    if (sessions_.size() >= options_.limits.max_connections) return Refuse(socket);
    std::unique_ptr<Transport> transport = is_tls_
                                               ? MakeTlsTransport(std::move(socket), CurrentTls())
                                               : MakeTcpTransport(std::move(socket));
    std::shared_ptr<Session> session = sessions_.Open(
        SessionShared{options_.limits, gate_, body_budget_, counters_}, std::move(transport));
    if (session == nullptr) return;
    asio::post(loop.context(), [session = std::move(session)] { session->Start(); });
  }

  void Refuse(tcp::socket& socket) {
    counters_.refused_connections.fetch_add(1, std::memory_order_relaxed);
    if (is_tls_) return;
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(kTooManyConnections), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  void StopListening() {
    if (stopped_.exchange(true) || !acceptor_) return;
    std::promise<void> closed;
    asio::post(acceptor_->get_executor(), [&] {
      error_code ignored;
      acceptor_->close(ignored);
      accept_pause_->cancel();
      closed.set_value();
    });
    closed.get_future().wait();
  }

  const HttpServerOptions options_;
  const bool is_tls_;
  mutable Mutex mutex_;
  std::shared_ptr<TlsContext> tls_ LOCKSTEP_GUARDED_BY(mutex_);
  HttpCounters counters_;
  BodyBudget body_budget_;
  SessionRegistry sessions_;
  WorkerPool workers_;
  WorkerPool part_workers_;
  Authenticator authenticator_;
  RequestGate gate_;
  std::vector<std::unique_ptr<IoLoop>> loops_;
  std::optional<tcp::acceptor> acceptor_;
  std::optional<asio::steady_timer> accept_pause_;
  std::atomic<bool> stopped_{false};
  size_t next_loop_ = 0;
  std::string url_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options,
                                                              api::Handler& handler) {
  RaiseFileLimit();
  LOCKSTEP_ASSIGN_OR_RETURN(CorsPolicy cors, CorsPolicy::Make(options.cors_origin));
  std::shared_ptr<TlsContext> tls;
  if (options.web.tls) {
    LOCKSTEP_ASSIGN_OR_RETURN(tls, TlsContext::Make(*options.web.tls));
  }
  auto server =
      std::make_unique<SocketServer>(std::move(options), std::move(cors), std::move(tls), handler);
  LOCKSTEP_RETURN_IF_ERROR(server->Start());
  return server;
}

}  // namespace lockstep::server
