// HttpClient: requests of the verbs that talk to a server, over one kept-alive connection. Not
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
  std::string ca_file;     // PEM; the system's authorities when empty
  std::string advice;      // what to do when the server cannot be reached, for people; may be empty
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  // of one request
};

struct HttpReply {
  int status = 0;
  std::string retry_after;  // the header's value
  std::string body;
  std::string samples;  // the header X-Lockstep-Samples
};

class HttpClient {
 public:
  // Fails when the token file cannot be read.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Make(const HttpClientOptions& options);
  ~HttpClient();

  // Hears of a body of 200 piece by piece, with its Content-Type; false: no more of it.
  using TakeBody = std::function<bool(std::string_view content_type, std::string_view bytes)>;

  // `path` begins with '/'; `headers` are whole lines. Fails if no answer came, or not all of it. With `take`
  // the reply has no body of 200.
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
