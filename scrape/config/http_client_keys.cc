// The part of ConfigKeys for HTTP clients: authentication, TLS, redirects, a proxy.
#include <utility>

#include "absl/strings/str_format.h"
#include "scrape/config/config_keys.h"

namespace lockstep::scrape {

std::vector<YamlKey> ConfigKeys::HttpClient(HttpClientConfig& into) const {
  std::vector<YamlKey> keys = {
      {"basic_auth", [this, &into](const YAML::Node& node) { return ReadBasicAuth(node, into); }},
      {"authorization",
       [this, &into](const YAML::Node& node) { return ReadAuthorization(node, into); }},
      Text("bearer_token", into.credentials.text),
      File("bearer_token_file", into.credentials.file),
      {"tls_config", [this, &into](const YAML::Node& node) { return ReadTls(node, into.tls); }},
      Bool("follow_redirects", into.follow_redirects),
      Text("proxy_url", into.proxy_url),
  };
  AddUnsupported(path_, "an HTTP client",
                 {"oauth2", "enable_http2", "http_headers", "no_proxy", "proxy_from_environment",
                  "proxy_connect_header"},
                 keys);
  return keys;
}

absl::Status ConfigKeys::ReadBasicAuth(const YAML::Node& node, HttpClientConfig& into) const {
  std::vector<YamlKey> keys = {Text("username", into.user), Text("password", into.password.text),
                               File("password_file", into.password.file)};
  AddUnsupported(path_, "basic_auth", {"username_file", "username_ref", "password_ref"}, keys);
  LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(path_, node, "basic_auth", keys));
  if (into.user.empty()) return Error(node, "basic_auth needs username");
  if (!into.password.text.empty() && !into.password.file.empty()) {
    return Error(node, "basic_auth takes either password or password_file");
  }
  return absl::OkStatus();
}

absl::Status ConfigKeys::ReadAuthorization(const YAML::Node& node, HttpClientConfig& into) const {
  std::vector<YamlKey> keys = {Text("type", into.authorization_type),
                               Text("credentials", into.credentials.text),
                               File("credentials_file", into.credentials.file)};
  AddUnsupported(path_, "authorization", {"credentials_ref"}, keys);
  LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(path_, node, "authorization", keys));
  if (into.authorization_type == "Basic" || into.authorization_type == "basic") {
    return Error(node, "authorization cannot have type Basic: use basic_auth");
  }
  return absl::OkStatus();
}

absl::Status ConfigKeys::ReadTls(const YAML::Node& node, TlsClientConfig& into) const {
  std::vector<YamlKey> keys = {File("ca_file", into.ca_file), File("cert_file", into.cert_file),
                               File("key_file", into.key_file),
                               Bool("insecure_skip_verify", into.insecure_skip_verify)};
  AddUnsupported(path_, "tls_config",
                 {"ca", "cert", "key", "ca_ref", "cert_ref", "key_ref", "server_name",
                  "min_version", "max_version"},
                 keys);
  LOCKSTEP_RETURN_IF_ERROR(ReadYamlMap(path_, node, "tls_config", keys));
  if (into.cert_file.empty() != into.key_file.empty()) {
    return Error(node, "tls_config needs both cert_file and key_file, or neither");
  }
  return absl::OkStatus();
}

absl::Status CheckHttpClient(const ConfigKeys& keys, const YAML::Node& node,
                             const HttpClientConfig& config) {
  if (!config.credentials.text.empty() && !config.credentials.file.empty()) {
    return keys.Error(node, "credentials are given both as text and as a file");
  }
  if (!config.user.empty() && config.credentials.given()) {
    return keys.Error(node,
                      "at most one of basic_auth, authorization and bearer_token can be given");
  }
  return absl::OkStatus();
}

}  // namespace lockstep::scrape
