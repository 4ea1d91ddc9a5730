// HTTP client configuration: authentication, TLS, redirects and a proxy, as plain data in
// Prometheus' terms.
#pragma once

#include <string>

namespace lockstep::scrape {

// A secret in the configuration, or in a file that is read again for every request.
struct Secret {
  std::string text;
  std::string file;
  bool given() const { return !text.empty() || !file.empty(); }

  bool operator==(const Secret&) const = default;
};

struct TlsClientConfig {
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  bool insecure_skip_verify = false;

  bool operator==(const TlsClientConfig&) const = default;
};

struct HttpClientConfig {
  std::string user;  // for basic authentication, "" if none
  Secret password;
  std::string authorization_type = "Bearer";
  Secret credentials;  // for other authentication
  TlsClientConfig tls;
  bool follow_redirects = true;
  std::string proxy_url;

  bool operator==(const HttpClientConfig&) const = default;
};

}  // namespace lockstep::scrape
