// Delivery: delivers one request to a server, with retries.
//
// Retries transient failures: no connection, 429, 5xx. Waits from 0.5 s, doubling up to 30 s, or as
// long as Retry-After says. Sending twice is harmless, so a request whose response was lost is sent
// again. Not thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::importer {

struct Outgoing {
  std::string path;                  // with parameters
  std::vector<std::string> headers;  // complete lines
  std::string_view body;
};

struct Reply {
  int status = 0;
  std::string retry_after;  // the header's value, "" if absent
  std::string body;
  std::string samples{};  // header X-Lockstep-Samples, "" if absent
};

// "the server answered 403: read-only"
std::string Describe(const Reply& reply);

class Delivery {
 public:
  // Fails if there was no response at all.
  using Post = std::function<absl::StatusOr<Reply>(const Outgoing&)>;
  // Returns false to stop waiting.
  using Wait = std::function<bool(std::chrono::milliseconds)>;

  struct Patience {
    std::chrono::milliseconds longest;    // total wait for one request
    bool waits_for_first_answer = false;  // also if the server has never answered
  };

  Delivery(Post post, Wait wait, Patience patience)
      : post_(std::move(post)),
        wait_(std::move(wait)),
        patience_(patience),
        reached_(patience.waits_for_first_answer) {}

  // Returns the first response that is not transient. Fails if there is none for too long.
  absl::StatusOr<Reply> Send(const Outgoing& request);

 private:
  const Post post_;
  const Wait wait_;
  const Patience patience_;
  bool reached_;
};

}  // namespace lockstep::importer
