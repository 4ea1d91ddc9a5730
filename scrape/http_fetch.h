// HttpFetch: sends one request at a time to one server with libcurl, over a persistent connection.
// Charges responses to the memory budget as they arrive. Used for targets and for discovery, and by
// rules for alerts and hooks. Not thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

// What requests to AWS are signed with, by its "Signature Version 4".
struct AwsSigning {
  std::string region;   // "us-east-1"
  std::string service;  // "ec2"
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // of temporary keys; "" with others
};

struct FetchOptions {
  std::string url;
  std::string method;                // "": GET, or POST with post_body
  std::vector<std::string> headers;  // "Accept: text/plain"
  milliseconds timeout{};
  bool enable_compression = true;
  std::optional<std::string> post_body;  // makes it a POST, for which any 2xx means success
  // Uncompressed bodies must be smaller. 0: 256 MiB, which also bounds larger values.
  uint64_t max_body_bytes = 0;
  HttpClientConfig http;
  // Signs the headers above and the body; no redirect is followed, because libcurl of Debian 12
  // cannot sign a URL with parameters. Replaces the authentication of `http`.
  std::optional<AwsSigning> aws_signing;
  // The request fails within about a second once this becomes true. May be null. Borrowed.
  const std::atomic<bool>* is_cancelled = nullptr;
};

class HttpFetch {
 public:
  HttpFetch();
  ~HttpFetch();
  HttpFetch(const HttpFetch&) = delete;
  HttpFetch& operator=(const HttpFetch&) = delete;

  // Prepares handle() for a request. Fails if a secret cannot be read.
  absl::Status Prepare(const FetchOptions& options);
  // A CURL*, to be performed once after Prepare(), alone or in a multi handle.
  void* handle() const { return handle_; }

  // The result of the request that ended with that CURLcode: OK for status 200, or for any 2xx of a
  // request with post_body. There, kInvalidArgument means a 4xx other than 429: retrying does not
  // help.
  absl::Status Outcome(int code) const;
  // "server returned HTTP status 404 Not Found", for example; "" if there was no response.
  std::string StatusText() const;
  const std::string& body() const { return body_; }
  // Frees its memory.
  void DropBody();
  // "" if there is none.
  std::string content_type() const;

  // Prepare(), the request, and Outcome(); blocks.
  absl::Status Send(const FetchOptions& options);

 private:
  struct Headers;

  bool MakeRoom(size_t bytes);
  static size_t TakeBody(char* bytes, size_t size, size_t count, void* fetch);
  absl::Status SetAuthorization(const HttpClientConfig& http);
  void SetAwsSigning(const AwsSigning& signing);
  void SetTls(const TlsClientConfig& tls);

  void* const handle_;
  std::unique_ptr<Headers> headers_;
  std::string body_;
  MemoryCharge memory_{MemoryAccount::kScrapes};  // for the body
  absl::Status memory_refusal_;
  uint64_t max_body_bytes_ = 0;
  bool is_too_large_ = false;
  bool is_post_ = false;
};

}  // namespace lockstep::scrape
