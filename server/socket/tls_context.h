// TlsContext: the state shared by all TLS connections of the server, made from the web
// configuration.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/auth/web_config.h"

namespace lockstep::server {

// Immutable; connections may be created from it on any thread.
class TlsContext {
 public:
  // Reads the certificate, key and client authority files named in `config`. Clients must negotiate
  // `protocol` by ALPN; "" requires none.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Make(const TlsServerConfig& config,
                                                          std::string protocol = "");

  SSL_CTX* native() { return context_.get(); }
  // Whether a client certificate, if sent, is verified to be signed by the authority.
  bool verifies_clients() const { return verifies_clients_; }
  // Whether a connection, after its handshake, has negotiated the protocol of this context.
  bool Agreed(const SSL* connection) const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  explicit TlsContext(SSL_CTX* context) : context_(context) {}

  std::unique_ptr<SSL_CTX, Free> context_;
  std::vector<std::string> allowed_client_names_;
  bool verifies_clients_ = false;
  std::string protocol_;
};

}  // namespace lockstep::server
