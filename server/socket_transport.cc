#include "server/socket_transport.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <array>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "server/certificate_names.h"

namespace lockstep::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// What both transports share. `Stream` is what bytes are read from and written to.
template <typename Stream>
class StreamTransport : public Transport {
 public:
  StreamTransport(Stream stream, std::string remote_address)
      : stream_(std::move(stream)), timer_(stream_.get_executor()) {
    peer_.address = std::move(remote_address);
  }

  void ReadSome(std::span<char> into, IoDone done) override {
    stream_.async_read_some(
        asio::buffer(into.data(), into.size()),
        [done = std::move(done)](error_code error, size_t size) mutable { done(error, size); });
  }

  void WriteSome(std::string_view first, std::string_view second, IoDone done) override {
    const std::array<asio::const_buffer, 2> buffers = {
        asio::const_buffer(first.data(), first.size()),
        asio::const_buffer(second.data(), second.size())};
    stream_.async_write_some(
        buffers,
        [done = std::move(done)](error_code error, size_t size) mutable { done(error, size); });
  }

  uint64_t UnsentBytes() const override {
    int bytes = 0;
    auto& socket = const_cast<Stream&>(stream_).lowest_layer();
    if (ioctl(socket.native_handle(), SIOCOUTQ, &bytes) != 0) return 0;
    return static_cast<uint64_t>(bytes);
  }

  void Close() override {
    StopTimer();
    error_code ignored;
    stream_.lowest_layer().close(ignored);
  }

  void StartTimer(std::chrono::milliseconds timeout, Task expired) override {
    timer_.expires_after(timeout);
    // A wait that is over can no longer be cancelled: its round tells whether it still counts. The
    // transport is alive then, because `expired` keeps its owner.
    const uint64_t round = ++timer_round_;
    timer_.async_wait([this, round, expired = std::move(expired)](error_code error) mutable {
      if (!error && round == timer_round_) expired();
    });
  }

  void StopTimer() override {
    ++timer_round_;
    timer_.cancel();
  }

  void Post(Task task) override { asio::post(stream_.get_executor(), std::move(task)); }

  const Peer& peer() const override { return peer_; }

 protected:
  Stream stream_;
  Peer peer_;

 private:
  asio::steady_timer timer_;
  uint64_t timer_round_ = 0;
};

class TcpTransport final : public StreamTransport<tcp::socket> {
 public:
  using StreamTransport::StreamTransport;

  void Handshake(IoDone done) override {
    Post([done = std::move(done)]() mutable { done({}, 0); });
  }

  void FinishWriting() override {
    error_code ignored;
    stream_.shutdown(tcp::socket::shutdown_send, ignored);
  }
};

using TlsStream = asio::ssl::stream<tcp::socket>;

class TlsTransport final : public StreamTransport<TlsStream> {
 public:
  TlsTransport(TlsStream stream, std::string remote_address, std::shared_ptr<TlsContext> tls)
      : StreamTransport(std::move(stream), std::move(remote_address)), tls_(std::move(tls)) {}

  void Handshake(IoDone done) override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [this, done = std::move(done)](error_code error) mutable {
                              if (!error && !tls_->Agreed(stream_.native_handle())) {
                                error = asio::error::no_protocol_option;
                              }
                              if (!error && tls_->verifies_clients()) {
                                peer_.certificate = NamesOfClient(stream_.native_handle());
                              }
                              done(error, 0);
                            });
  }

  // A close_notify would have to be written by the engine that may be reading at the same time;
  // answers carry their length, so clients do without.
  void FinishWriting() override {}

 private:
  // The connection refers to it.
  const std::shared_ptr<TlsContext> tls_;
};

}  // namespace

std::string AddressOf(const tcp::socket& socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  if (error) return "unknown";
  return endpoint.address().is_v6()
             ? absl::StrFormat("[%s]:%d", endpoint.address().to_string(), endpoint.port())
             : absl::StrFormat("%s:%d", endpoint.address().to_string(), endpoint.port());
}

std::unique_ptr<Transport> MakeTcpTransport(tcp::socket socket) {
  std::string address = AddressOf(socket);
  return std::make_unique<TcpTransport>(std::move(socket), std::move(address));
}

std::unique_ptr<Transport> MakeTlsTransport(tcp::socket socket, std::shared_ptr<TlsContext> tls) {
  std::string address = AddressOf(socket);
  // Asio's context frees its handle: it gets a reference of its own.
  SSL_CTX_up_ref(tls->native());
  asio::ssl::context context(tls->native());
  return std::make_unique<TlsTransport>(TlsStream(std::move(socket), context), std::move(address),
                                        std::move(tls));
}

}  // namespace lockstep::server
