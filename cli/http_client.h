// HttpClient: requests of the verbs that talk to a server, over one kept-alive connection. Not
// thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::cli {

struct HttpClientOptions {
  std::string url;         // of the server: "http://127.0.0.1:9009"
  std::string user;        // "NAME:PASSWORD" for basic auth
  std::string token_file;  // holds a bearer token
  std::string ca_file;     // PEM; the system's authorities when empty
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  // of one request
};

struct HttpReply {
  int status = 0;
  std::string retry_after;  // the header's value
  std::string body;
};

class HttpClient {
 public:
  // Fails when the token file cannot be read.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Make(const HttpClientOptions& options);
  ~HttpClient();

  // `path` begins with '/'; `headers` are whole lines. Fails if no answer came.
  absl::StatusOr<HttpReply> Post(std::string_view path, const std::vector<std::string>& headers,
                                 std::string_view body);

 private:
  struct Curl;
  HttpClient();

  std::unique_ptr<Curl> curl_;
  std::string base_url_;
};

// %XX for everything but letters, digits and "-._~".
std::string PercentEncode(std::string_view text);

}  // namespace lockstep::cli
