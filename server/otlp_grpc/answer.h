// The answer to a call from that of POST /v1/metrics. Pure functions.
#pragma once

#include <grpcpp/support/status.h>

#include <string>
#include <string_view>

#include "api/http.h"

namespace lockstep::server {

// OK for 200, whose body is then the message of the answer. Senders repeat what has a Retry-After, and nothing else
// of this.
grpc::Status StatusOf(const api::Response& response);

// With a RetryInfo.
grpc::Status ComeAgain(grpc::StatusCode code, const std::string& message, int64_t after_seconds);

// "OK", "RESOURCE_EXHAUSTED".
std::string_view NameOf(grpc::StatusCode code);

}  // namespace lockstep::server
