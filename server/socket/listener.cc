#include "server/socket/listener.h"

#include <fcntl.h>

#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "server/socket/socket_transport.h"
#include "server/socket/tls_context.h"

namespace lockstep::server {

// One thread that runs the connections assigned to it.
class IoLoop {
 public:
  IoLoop() : work_(context_.get_executor()), thread_([this] { context_.run(); }) {}
  // Runs what is still posted, then stops.
  ~IoLoop() {
    work_.reset();
    thread_.join();
  }
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;

  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
};

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// How long to pause accepting after the process ran out of file handles.
constexpr std::chrono::milliseconds kAcceptPause{100};
// How long to pause while should_wait() returns true.
constexpr std::chrono::milliseconds kWaitPause{1};

// Child processes must not inherit the socket.
void CloseOnExec(int socket) { fcntl(socket, F_SETFD, FD_CLOEXEC); }

std::string AddressOf(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? absl::StrFormat("[%s]:%d", address, endpoint.port())
                                    : absl::StrFormat("%s:%d", address, endpoint.port());
}

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

void Refuse(tcp::socket& socket, const std::string& text) {
  error_code ignored;
  socket.non_blocking(true, ignored);
  // Closing with an unread request would reset the connection, and the client would lose the
  // response.
  std::array<char, 4096> unread;
  socket.read_some(asio::buffer(unread), ignored);
  socket.write_some(asio::buffer(text), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

struct Listener::Acceptor {
  explicit Acceptor(tcp::acceptor bound) : socket(std::move(bound)), pause(socket.get_executor()) {}

  tcp::acceptor socket;
  asio::steady_timer pause;
  size_t next_loop = 0;
  bool is_short_of_handles = false;
};

Listener::Listener(ListenerOptions options) : options_(std::move(options)) {
  for (int i = 0; i < options_.io_threads; ++i) loops_.push_back(std::make_unique<IoLoop>());
}

Listener::~Listener() { Stop(); }

absl::StatusOr<std::unique_ptr<Listener>> Listener::Bind(ListenerOptions options,
                                                         const TlsServerConfig* tls) {
  std::unique_ptr<Listener> listener(new Listener(std::move(options)));
  LOCKSTEP_RETURN_IF_ERROR(listener->Open(tls));
  return listener;
}

absl::Status Listener::Open(const TlsServerConfig* tls) {
  if (tls != nullptr) {
    is_tls_ = true;
    LOCKSTEP_RETURN_IF_ERROR(SetTls(tls));
  }
  absl::StatusOr<tcp::acceptor> bound =
      Listen(loops_.front()->context(), options_.host, options_.port);
  LOCKSTEP_RETURN_IF_ERROR(bound.status());
  error_code ignored;
  address_ = AddressOf(bound->local_endpoint(ignored));
  acceptor_ = std::make_unique<Acceptor>(*std::move(bound));
  return absl::OkStatus();
}

void Listener::Start(Events events) {
  events_ = std::move(events);
  asio::post(acceptor_->socket.get_executor(), [this] { Accept(); });
}

void Listener::Stop() {
  if (stopped_.exchange(true) || acceptor_ == nullptr) return;
  std::promise<void> closed;
  const auto executor = acceptor_->socket.get_executor();
  asio::post(executor, [&] {
    error_code ignored;
    acceptor_->socket.close(ignored);
    acceptor_->pause.cancel();
    // Behind the handlers that these two have queued, which use the acceptor.
    asio::post(executor, [&closed] { closed.set_value(); });
  });
  closed.get_future().wait();
}

absl::Status Listener::SetTls(const TlsServerConfig* tls) {
  if ((tls != nullptr) != is_tls_) {
    return absl::FailedPreconditionError("turning TLS on or off requires a restart");
  }
  if (tls == nullptr) return absl::OkStatus();
  std::shared_ptr<TlsContext> made;
  LOCKSTEP_ASSIGN_OR_RETURN(made, TlsContext::Make(*tls, options_.protocol));
  const MutexLock lock(mutex_);
  tls_ = std::move(made);
  return absl::OkStatus();
}

std::shared_ptr<TlsContext> Listener::CurrentTls() const {
  const MutexLock lock(mutex_);
  return tls_;
}

void Listener::Accept() {
  if (!acceptor_->socket.is_open()) return;
  if (events_.should_wait && events_.should_wait()) return AcceptAfter(kWaitPause);
  IoLoop& loop = *loops_[acceptor_->next_loop++ % loops_.size()];
  acceptor_->socket.async_accept(loop.context(), [this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) return PauseAccepting(error);
    if (std::exchange(acceptor_->is_short_of_handles, false)) {
      Log(LogLevel::kInfo, "accepting connections again");
    }
    accepted_connections_.fetch_add(1, std::memory_order_relaxed);
    error_code ignored;
    CloseOnExec(socket.native_handle());
    socket.set_option(tcp::no_delay(true), ignored);
    if (events_.admit(AddressOf(socket))) {
      events_.open(is_tls_ ? MakeTlsTransport(std::move(socket), CurrentTls())
                           : MakeTcpTransport(std::move(socket)));
    } else {
      refused_connections_.fetch_add(1, std::memory_order_relaxed);
      if (!is_tls_ && !options_.refusal.empty()) Refuse(socket, options_.refusal);
    }
    Accept();
  });
}

void Listener::PauseAccepting(const std::error_code& error) {
  if (!std::exchange(acceptor_->is_short_of_handles, true)) {
    Log(LogLevel::kWarn, "cannot accept a connection", {{"error", error.message()}});
  }
  if (events_.out_of_handles) events_.out_of_handles();
  AcceptAfter(kAcceptPause);
}

// Connections waiting to be accepted stay in the kernel's queue.
void Listener::AcceptAfter(std::chrono::milliseconds pause) {
  acceptor_->pause.expires_after(pause);
  acceptor_->pause.async_wait([this](error_code) { Accept(); });
}

}  // namespace lockstep::server
