// Adapts HttpClient for the senders in import/.
#pragma once

#include <utility>

#include "cli/client/http_client.h"
#include "import/delivery/delivery.h"

namespace lockstep::cli {

inline absl::StatusOr<importer::Reply> ReplyOf(absl::StatusOr<HttpReply> reply) {
  if (!reply.ok()) return reply.status();
  return importer::Reply{reply->status, std::move(reply->retry_after), std::move(reply->body),
                         std::move(reply->samples)};
}

// The client must outlive the result.
inline importer::Delivery::Post PostTo(HttpClient& client) {
  return [&client](const importer::Outgoing& request) {
    return ReplyOf(client.Post(request.path, request.headers, request.body));
  };
}

}  // namespace lockstep::cli
