// HttpClient: the requests that verbs send to a server, over one keep-alive connection. Not
// thread-safe.
#pragma once

#include <chrono>
#include <functional>
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
  std::string ca_file;     // PEM; empty uses the system's authorities
  std::string advice;      // a hint for the user when the server is unreachable; may be empty
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  // per request
};

struct HttpReply {
  int status = 0;
  std::string retry_after;  // the header's value
  std::string body;
  std::string samples;  // the header X-Lockstep-Samples
};

class HttpClient {
 public:
  // Fails if the token file cannot be read.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Make(const HttpClientOptions& options);
  ~HttpClient();

  // Receives the body of a 200 response piece by piece, with its Content-Type. Returns false to
  // stop.
  using TakeBody = std::function<bool(std::string_view content_type, std::string_view bytes)>;

  // `path` begins with '/'; `headers` are complete header lines. Fails if there is no response or
  // it is incomplete. With `take`, the reply has no body for status 200.
  absl::StatusOr<HttpReply> Post(std::string_view path, const std::vector<std::string>& headers,
                                 std::string_view body, const TakeBody& take = nullptr);
  absl::StatusOr<HttpReply> Get(std::string_view path);

 private:
  struct Curl;
  HttpClient();
  absl::StatusOr<HttpReply> Ask(std::string_view path, const std::vector<std::string>& headers,
                                const TakeBody& take);

  std::unique_ptr<Curl> curl_;
  std::string base_url_;
  std::string advice_;
};

}  // namespace lockstep::cli
