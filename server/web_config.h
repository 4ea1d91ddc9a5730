// WebConfig: the file of --web.config.file, in the format of Prometheus' exporter-toolkit
// (docs/web-configuration.md there), with two extensions.
//
//   tls_server_config:
//     cert_file: server.crt              # file names are relative to the configuration file
//     key_file: server.key
//     client_auth_type: RequireAndVerifyClientCert
//     client_ca_file: ca.crt
//   basic_auth_users:
//     alice: $2y$10$...                  # bcrypt
//   lockstep_bearer_tokens:
//     trainer: {sha256: 9f86d081...}     # of the token
//     grafana: {file: grafana.token}     # holds the token
//   lockstep_roles: ...                  # server/web_roles.h
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "base/status.h"

namespace lockstep::server {

enum class ClientAuth {
  kNone,              // NoClientCert
  kRequest,           // RequestClientCert
  kRequireAny,        // RequireAnyClientCert
  kVerifyIfGiven,     // VerifyClientCertIfGiven
  kRequireAndVerify,  // RequireAndVerifyClientCert
};

struct TlsServerConfig {
  std::string cert_file;
  std::string key_file;
  std::string client_ca_file;
  ClientAuth client_auth = ClientAuth::kNone;
  std::vector<std::string> client_allowed_sans;
  int min_version = 0;  // as OpenSSL numbers them: TLS1_2_VERSION, ...
  int max_version = 0;
  std::vector<std::string> cipher_suites;      // by IANA's names, TLS 1.2 and before
  std::vector<std::string> curve_preferences;  // CurveP256, CurveP384, CurveP521, X25519
  bool prefer_server_cipher_suites = true;
};

struct BasicAuthUser {
  std::string name;
  std::string bcrypt_hash;
  api::Grant grant{};
};

using Sha256Digest = std::array<unsigned char, 32>;

struct BearerToken {
  std::string name;  // for people; no secret
  Sha256Digest digest{};
  api::Grant grant{};
};

// What a client's certificate is for; one of the two is "".
struct CertificateGrant {
  std::string san;
  std::string subject;
  api::Grant grant{};
};

struct WebConfig {
  std::optional<TlsServerConfig> tls;
  std::vector<api::Header> headers;  // added to every answer
  std::vector<BasicAuthUser> users;
  std::vector<BearerToken> tokens;
  std::vector<CertificateGrant> certificates;
  bool has_roles = false;  // if not, who may come in may do everything

  // Whether a request has to say who sends it.
  bool wants_credentials() const { return has_roles || !users.empty() || !tokens.empty(); }
};

// Fails on an unknown key, a missing file name, a hash that is none; the message names file, line
// and key, and never shows a secret. `path` is for messages and for relative file names. Token
// files are read; certificates are not.
absl::StatusOr<WebConfig> ParseWebConfig(std::string_view yaml, const std::string& path);
absl::StatusOr<WebConfig> ReadWebConfig(const std::string& path);

}  // namespace lockstep::server
