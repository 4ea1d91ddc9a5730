// HttpFetch: one request at a time to one server, by libcurl, with a connection that is kept. What
// the server answers is taken from the memory budget as it comes. Not thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/status.h"
#include "scrape/config/scrape_config.h"

namespace lockstep::scrape {

struct FetchOptions {
  std::string url;
  std::vector<std::string> headers;  // "Accept: text/plain"
  milliseconds timeout{};
  bool enable_compression = true;
  std::optional<std::string> post_body;  // makes it a POST, which any status 2xx answers well
  uint64_t max_body_bytes = 0;           // uncompressed; a body of so many or more is refused
  HttpClientConfig http;
  // If it becomes true, the request fails within about a second. Null: it does not. Borrowed.
  const std::atomic<bool>* is_cancelled = nullptr;
};

class HttpFetch {
 public:
  HttpFetch();
  ~HttpFetch();
  HttpFetch(const HttpFetch&) = delete;
  HttpFetch& operator=(const HttpFetch&) = delete;

  // Makes the handle ready for a request. Fails if a secret cannot be read.
  absl::Status Prepare(const FetchOptions& options);
  // A CURL*, to be performed once after Prepare(), alone or in a multi handle.
  void* handle() const { return handle_; }

  // After the request, which ended with that CURLcode: whether there is an answer with status 200. Of a POST
  // kInvalidArgument for one that says that the request is wrong, so that another try will not help.
  absl::Status Outcome(int code) const;
  const std::string& body() const { return body_; }
  // Gives its memory back.
  void DropBody();
  // "" if there is none.
  std::string content_type() const;

  // Prepare(), the request and its Outcome(); blocks.
  absl::Status Get(const FetchOptions& options);

 private:
  struct Headers;

  bool MakeRoom(size_t bytes);
  static size_t TakeBody(char* bytes, size_t size, size_t count, void* fetch);
  absl::Status SetAuthorization(const HttpClientConfig& http);
  void SetTls(const TlsClientConfig& tls);

  void* const handle_;
  std::unique_ptr<Headers> headers_;
  std::string body_;
  MemoryCharge memory_{MemoryAccount::kScrapes};  // of the body
  absl::Status memory_refusal_;
  uint64_t max_body_bytes_ = 0;
  bool is_too_large_ = false;
  bool is_post_ = false;
};

}  // namespace lockstep::scrape
