// Delivery: brings one request to a server, however often that takes.
//
// What may pass is tried again: no connection, 429, 5xx. Times between tries double from 0.5 s to
// 30 s, or are what Retry-After says. What is sent may be sent twice without harm, so a request that was
// taken but whose answer was lost is sent again. Not thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::importer {

struct Outgoing {
  std::string path;                  // with its parameters
  std::vector<std::string> headers;  // whole lines
  std::string_view body;
};

struct Reply {
  int status = 0;
  std::string retry_after;  // the header's value, "" when there is none
  std::string body;
  std::string samples{};  // the header X-Lockstep-Samples, "" when there is none
};

// "the server answered 403: read-only"
std::string Describe(const Reply& reply);

class Delivery {
 public:
  // Fails if no answer came at all.
  using Post = std::function<absl::StatusOr<Reply>(const Outgoing&)>;
  // False: to be waited for no longer.
  using Wait = std::function<bool(std::chrono::milliseconds)>;

  struct Patience {
    std::chrono::milliseconds longest;    // waiting for one request
    bool waits_for_first_answer = false;  // of a server that has not answered yet
  };

  Delivery(Post post, Wait wait, Patience patience)
      : post_(std::move(post)),
        wait_(std::move(wait)),
        patience_(patience),
        reached_(patience.waits_for_first_answer) {}

  // The first answer that is not one of those that may pass. Fails when there was none for too long.
  absl::StatusOr<Reply> Send(const Outgoing& request);

 private:
  const Post post_;
  const Wait wait_;
  const Patience patience_;
  bool reached_;
};

}  // namespace lockstep::importer
