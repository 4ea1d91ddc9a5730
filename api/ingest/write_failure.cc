#include "api/ingest/write_failure.h"

#include "ingest/rate_limit.h"

namespace lockstep::api {

WriteFailure WriteFailureOf(const absl::Status& status) {
  constexpr const char* kRetryAfterSeconds = "5";
  if (const auto wait = RetryAfter(status)) return {429, std::to_string(wait->count())};
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return {400, ""};
    case absl::StatusCode::kOutOfRange:
      return {413, ""};
    case absl::StatusCode::kPermissionDenied:
      return {403, ""};
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return {503, kRetryAfterSeconds};
    default:
      return {500, ""};
  }
}

}  // namespace lockstep::api
