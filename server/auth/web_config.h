// WebConfig: the --web.config.file, in the format of Prometheus' exporter-toolkit
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
//   lockstep_roles: ...                  # server/auth/web_roles.h
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"
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
  int min_version = 0;  // OpenSSL's numbers: TLS1_2_VERSION, ...
  int max_version = 0;
  std::vector<std::string> cipher_suites;      // IANA's names, for TLS 1.2 and earlier
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
  std::string name;  // shown to people; not secret
  Sha256Digest digest{};
  api::Grant grant{};
};

// The certificates that a grant applies to; one of the two is "".
struct CertificateGrant {
  std::string san;
  std::string subject;
  api::Grant grant{};
};

struct WebConfig {
  std::optional<TlsServerConfig> tls;
  std::vector<api::Header> headers;  // added to every response
  std::vector<BasicAuthUser> users;
  std::vector<BearerToken> tokens;
  std::vector<CertificateGrant> certificates;
  bool has_roles = false;  // if false, accepted clients have full access

  // Whether requests must be authenticated.
  bool wants_credentials() const { return has_roles || !users.empty() || !tokens.empty(); }
};

// Fails on an unknown key, a missing file name or an invalid hash; the message names file, line and
// key, and never shows a secret. `path` is used for messages and as the base of relative file
// names. Reads token files, but not certificates.
absl::StatusOr<WebConfig> ParseWebConfig(std::string_view yaml, const std::string& path);
absl::StatusOr<WebConfig> ReadWebConfig(const std::string& path);

}  // namespace lockstep::server
