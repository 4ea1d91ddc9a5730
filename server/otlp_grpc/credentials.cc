#include "server/otlp_grpc/credentials.h"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::server {
namespace {

absl::StatusOr<std::string> ReadPem(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) return absl::InvalidArgumentError(absl::StrFormat("cannot read \"%s\"", path));
  return std::move(content).str();
}

grpc_ssl_client_certificate_request_type RequestTypeOf(ClientAuth auth) {
  switch (auth) {
    case ClientAuth::kNone:
      return GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    case ClientAuth::kRequest:
      return GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_BUT_DONT_VERIFY;
    case ClientAuth::kRequireAny:
      return GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY;
    case ClientAuth::kVerifyIfGiven:
      return GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY;
    case ClientAuth::kRequireAndVerify:
      return GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  }
  return GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
}

// TLS 1.2 and 1.3 are what gRPC speaks, with its own suites.
absl::Status CheckExpressible(const TlsServerConfig& tls) {
  constexpr int kTls12 = 0x0303;
  constexpr int kTls13 = 0x0304;
  const char* unknown = nullptr;
  if (!tls.client_allowed_sans.empty()) unknown = "client_allowed_sans";
  if (tls.min_version > kTls12) unknown = "min_version";
  if (tls.max_version != 0 && tls.max_version < kTls13) unknown = "max_version";
  if (!tls.cipher_suites.empty()) unknown = "cipher_suites";
  if (!tls.curve_preferences.empty()) unknown = "curve_preferences";
  if (unknown == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "the web configuration sets %s, which gRPC cannot keep to: leave it out, or do without "
      "otlp-grpc",
      unknown));
}

}  // namespace

std::string CredentialBytesOf(const WebConfig& web) {
  if (!web.tls.has_value()) return "";
  std::string bytes = absl::StrFormat("%d ", static_cast<int>(web.tls->client_auth));
  for (const std::string& file : {web.tls->key_file, web.tls->cert_file, web.tls->client_ca_file}) {
    if (file.empty()) continue;
    const absl::StatusOr<std::string> pem = ReadPem(file);
    if (!pem.ok()) return "";
    bytes += *pem;
  }
  return bytes;
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> CredentialsOf(const WebConfig& web) {
  if (!web.tls.has_value()) return grpc::InsecureServerCredentials();
  const TlsServerConfig& tls = *web.tls;
  LOCKSTEP_RETURN_IF_ERROR(CheckExpressible(tls));
  grpc::SslServerCredentialsOptions options(RequestTypeOf(tls.client_auth));
  auto& pair = options.pem_key_cert_pairs.emplace_back();
  LOCKSTEP_ASSIGN_OR_RETURN(pair.private_key, ReadPem(tls.key_file));
  LOCKSTEP_ASSIGN_OR_RETURN(pair.cert_chain, ReadPem(tls.cert_file));
  if (!tls.client_ca_file.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(options.pem_root_certs, ReadPem(tls.client_ca_file));
  }
  return grpc::SslServerCredentials(options);
}

}  // namespace lockstep::server
