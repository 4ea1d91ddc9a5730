#include "server/socket/tls_context.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::server {
namespace {

// Returns this thread's last OpenSSL error and clears the queue.
std::string LastError() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown error" : reason;
}

absl::Status Failed(std::string_view what, std::string_view file) {
  return absl::InvalidArgumentError(
      absl::StrFormat("cannot use %s \"%s\": %s", what, file, LastError()));
}

int VerifyMode(ClientAuth client_auth) {
  switch (client_auth) {
    case ClientAuth::kNone:
      return SSL_VERIFY_NONE;
    case ClientAuth::kRequest:
    case ClientAuth::kVerifyIfGiven:
      return SSL_VERIFY_PEER;
    case ClientAuth::kRequireAny:
    case ClientAuth::kRequireAndVerify:
      return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  return SSL_VERIFY_NONE;
}

bool VerifiesChain(ClientAuth client_auth) {
  return client_auth == ClientAuth::kVerifyIfGiven || client_auth == ClientAuth::kRequireAndVerify;
}

int AcceptAnyCertificate(X509_STORE_CTX*, void*) { return 1; }

// Whether the certificate is valid for the DNS name, e-mail address or IP address `name`.
bool IsFor(X509* certificate, const std::string& name) {
  constexpr unsigned kExactly = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_WILDCARDS;
  return X509_check_host(certificate, name.data(), name.size(), kExactly, nullptr) == 1 ||
         X509_check_email(certificate, name.data(), name.size(), kExactly) == 1 ||
         X509_check_ip_asc(certificate, name.c_str(), kExactly) == 1;
}

// Lets OpenSSL verify the chain, then looks for one of the allowed names in the certificate.
int VerifyWithNames(X509_STORE_CTX* store, void* names) {
  if (X509_verify_cert(store) <= 0) return 0;
  X509* certificate = X509_STORE_CTX_get0_cert(store);
  for (const std::string& name : *static_cast<const std::vector<std::string>*>(names)) {
    if (IsFor(certificate, name)) return 1;
  }
  X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
  return 0;
}

absl::Status LoadCertificate(SSL_CTX* context, const TlsServerConfig& config) {
  if (SSL_CTX_use_certificate_chain_file(context, config.cert_file.c_str()) != 1) {
    return Failed("cert_file", config.cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context, config.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Failed("key_file", config.key_file);
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return Failed("the certificate with key_file", config.key_file);
  }
  return absl::OkStatus();
}

// OpenSSL has its own names for TLS 1.2 cipher suites.
absl::Status SetCipherSuites(SSL_CTX* context, const std::vector<std::string>& suites) {
  if (suites.empty()) return absl::OkStatus();
  std::string names;
  SSL_CTX_set_cipher_list(context, "ALL");
  STACK_OF(SSL_CIPHER)* known = SSL_CTX_get_ciphers(context);
  for (const std::string& suite : suites) {
    std::string_view name;
    for (int i = 0; i < sk_SSL_CIPHER_num(known); ++i) {
      const SSL_CIPHER* cipher = sk_SSL_CIPHER_value(known, i);
      if (suite == SSL_CIPHER_standard_name(cipher)) name = SSL_CIPHER_get_name(cipher);
    }
    if (name.empty()) {
      return absl::InvalidArgumentError(absl::StrFormat("unknown cipher suite \"%s\"", suite));
    }
    absl::StrAppendFormat(&names, "%s%s", names.empty() ? "" : ":", name);
  }
  if (SSL_CTX_set_cipher_list(context, names.c_str()) != 1) return Failed("cipher_suites", names);
  return absl::OkStatus();
}

absl::Status SetCurves(SSL_CTX* context, const std::vector<std::string>& curves) {
  if (curves.empty()) return absl::OkStatus();
  std::string names;
  for (const std::string& curve : curves) {
    std::string_view name;
    if (curve == "CurveP256") name = "P-256";
    if (curve == "CurveP384") name = "P-384";
    if (curve == "CurveP521") name = "P-521";
    if (curve == "X25519") name = "X25519";
    if (name.empty()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "unknown curve \"%s\"; expected CurveP256, CurveP384, CurveP521 or X25519", curve));
    }
    absl::StrAppendFormat(&names, "%s%s", names.empty() ? "" : ":", name);
  }
  if (SSL_CTX_set1_groups_list(context, names.c_str()) != 1) {
    return Failed("curve_preferences", names);
  }
  return absl::OkStatus();
}

// Chooses `protocol` from those a client offers by ALPN, or ends the handshake.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned int offered_size, void* protocol) {
  const auto& wanted = *static_cast<const std::string*>(protocol);
  // The format of the client's list: the name after its length.
  const std::string entry = static_cast<char>(wanted.size()) + wanted;
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(entry.data()),
                            static_cast<unsigned>(entry.size()), offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  // `found` may point into `entry`, which is about to be destroyed.
  *chosen = reinterpret_cast<const unsigned char*>(wanted.data());
  return SSL_TLSEXT_ERR_OK;
}

// Protocols negotiated by ALPN forbid older versions of TLS (RFC 9113, 9.2).
absl::Status SetProtocol(SSL_CTX* context, const TlsServerConfig& config, std::string& protocol) {
  if (protocol.empty()) return absl::OkStatus();
  if (config.max_version != 0 && config.max_version < TLS1_2_VERSION) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s requires TLS 1.2 or newer, which max_version excludes", protocol));
  }
  SSL_CTX_set_min_proto_version(context, std::max(config.min_version, TLS1_2_VERSION));
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, &protocol);
  return absl::OkStatus();
}

}  // namespace

bool TlsContext::Agreed(const SSL* connection) const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(connection, &name, &size);
  return protocol_ == std::string_view(reinterpret_cast<const char*>(name), size);
}

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Make(const TlsServerConfig& config,
                                                             std::string protocol) {
  std::unique_ptr<TlsContext> tls(new TlsContext(SSL_CTX_new(TLS_server_method())));
  SSL_CTX* context = tls->native();
  if (context == nullptr)
    return absl::InternalError("cannot create an OpenSSL context: " + LastError());
  SSL_CTX_set_min_proto_version(context, config.min_version);
  SSL_CTX_set_max_proto_version(context, config.max_version);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  if (config.prefer_server_cipher_suites) {
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
  }
  LOCKSTEP_RETURN_IF_ERROR(SetCipherSuites(context, config.cipher_suites));
  LOCKSTEP_RETURN_IF_ERROR(SetCurves(context, config.curve_preferences));
  LOCKSTEP_RETURN_IF_ERROR(LoadCertificate(context, config));
  tls->protocol_ = std::move(protocol);
  LOCKSTEP_RETURN_IF_ERROR(SetProtocol(context, config, tls->protocol_));

  SSL_CTX_set_verify(context, VerifyMode(config.client_auth), nullptr);
  if (!VerifiesChain(config.client_auth)) {
    SSL_CTX_set_cert_verify_callback(context, AcceptAnyCertificate, nullptr);
    return tls;
  }
  tls->verifies_clients_ = true;
  if (SSL_CTX_load_verify_locations(context, config.client_ca_file.c_str(), nullptr) != 1) {
    return Failed("client_ca_file", config.client_ca_file);
  }
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(config.client_ca_file.c_str()));
  static constexpr unsigned char kSessionContext[] = "lockstep";
  SSL_CTX_set_session_id_context(context, kSessionContext, sizeof(kSessionContext) - 1);
  if (!config.client_allowed_sans.empty()) {
    tls->allowed_client_names_ = config.client_allowed_sans;
    SSL_CTX_set_cert_verify_callback(context, VerifyWithNames, &tls->allowed_client_names_);
  }
  return tls;
}

}  // namespace lockstep::server
