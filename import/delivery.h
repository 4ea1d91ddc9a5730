// Delivery: brings one encoded write request to a server, however often that takes.
//
// What may pass is tried again: no connection, 429, 5xx. Times between tries double from 0.5 s to
// 30 s, or are what Retry-After says. Writes are idempotent, so a request that was taken but whose
// answer was lost does no harm. Not thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::importer {

struct Reply {
  int status = 0;
  std::string retry_after;  // the header's value, "" when there is none
  std::string body;
};

enum class Delivered {
  kWhole,
  kPartly,  // the server kept the good part and said what was wrong with the rest
};

class Delivery {
 public:
  // Fails if no answer came at all.
  using Post = std::function<absl::StatusOr<Reply>(std::string_view body)>;
  using Wait = std::function<void(std::chrono::milliseconds)>;

  // `patience` bounds the waiting for one request.
  Delivery(Post post, Wait wait, std::chrono::milliseconds patience)
      : post_(std::move(post)), wait_(std::move(wait)), patience_(patience) {}

  // Fails when trying again would not help, or was tried for too long. A server that does not
  // answer the first request of all is not waited for.
  absl::StatusOr<Delivered> Send(std::string_view body);

  // What the server said about the last partly taken request.
  const std::string& complaint() const { return complaint_; }

 private:
  const Post post_;
  const Wait wait_;
  const std::chrono::milliseconds patience_;
  bool reached_ = false;
  std::string complaint_;
};

}  // namespace lockstep::importer
