#include "server/socket/socket_transport.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/ioctl.h>

#include <array>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "server/auth/peer.h"

namespace lockstep::server {
namespace {

std::string SubjectOf(X509* certificate) {
  BIO* const out = BIO_new(BIO_s_mem());
  X509_NAME_print_ex(out, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  std::string subject(text, static_cast<size_t>(size));
  BIO_free(out);
  return subject;
}

std::string TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<size_t>(ASN1_STRING_length(text))};
}

// "" if it is not an IP address.
std::string IpAddressOf(const ASN1_STRING* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(bytes) != 16) return "";
  inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
  return text.data();
}

std::string NameOf(const GENERAL_NAME* name) {
  switch (name->type) {
    case GEN_DNS:
      return TextOf(name->d.dNSName);
    case GEN_EMAIL:
      return TextOf(name->d.rfc822Name);
    case GEN_URI:
      return TextOf(name->d.uniformResourceIdentifier);
    case GEN_IPADD:
      return IpAddressOf(name->d.iPAddress);
    default:
      return "";
  }
}

// The names in the client's certificate after a completed handshake; null if it sent none.
std::shared_ptr<const CertificateNames> NamesOfClient(SSL* connection) {
  X509* const certificate = SSL_get1_peer_certificate(connection);
  if (certificate == nullptr) return nullptr;
  auto names = std::make_shared<CertificateNames>();
  names->subject = SubjectOf(certificate);
  auto* const alternatives = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(alternatives); ++i) {
    std::string name = NameOf(sk_GENERAL_NAME_value(alternatives, i));
    // With a zero byte, other programs would see a different name.
    if (!name.empty() && name.find('\0') == std::string::npos) {
      names->sans.push_back(std::move(name));
    }
  }
  GENERAL_NAMES_free(alternatives);
  X509_free(certificate);
  return names;
}

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Common to both transports. Bytes are read from and written to `Stream`.
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
    // A wait that has ended cannot be cancelled any more; its round shows whether it still counts.
    // The transport is alive then, because `expired` keeps its owner alive.
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

  // The engine that would write a close_notify may be reading at the same time. Responses carry
  // their length, so clients do not need it.
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
  // Asio's context frees its handle, so give it a separate reference.
  SSL_CTX_up_ref(tls->native());
  asio::ssl::context context(tls->native());
  return std::make_unique<TlsTransport>(TlsStream(std::move(socket), context), std::move(address),
                                        std::move(tls));
}

}  // namespace lockstep::server
