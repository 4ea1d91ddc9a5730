// What senders of import/ need of an HttpClient.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "cli/http_client.h"
#include "import/delivery.h"

namespace lockstep::cli {

inline absl::StatusOr<importer::Reply> ReplyOf(absl::StatusOr<HttpReply> reply) {
  if (!reply.ok()) return reply.status();
  return importer::Reply{reply->status, std::move(reply->retry_after), std::move(reply->body),
                         std::move(reply->samples)};
}

// The client outlives what is returned.
inline importer::Delivery::Post PostTo(HttpClient& client) {
  return [&client](const importer::Outgoing& request) {
    return ReplyOf(client.Post(request.path, request.headers, request.body));
  };
}

inline int64_t NowMs() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

}  // namespace lockstep::cli
