#include "api/http/request_limits.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "api/http/reply.h"

namespace lockstep::api {
namespace {

size_t FieldCount(const Request& request) {
  const auto ampersands = [](std::string_view text) {
    return static_cast<size_t>(std::ranges::count(text, '&'));
  };
  return 2 + ampersands(request.target) + (IsForm(request) ? ampersands(request.body) : 0);
}

}  // namespace

absl::Status CheckForm(const Request& request) {
  if (IsForm(request) && request.body.size() > kMaxFormBytes) {
    return absl::OutOfRangeError(absl::StrFormat("the form has %d bytes; the limit is %d",
                                                 request.body.size(), kMaxFormBytes));
  }
  if (const size_t count = FieldCount(request); count > kMaxFormFields) {
    return absl::OutOfRangeError(
        absl::StrFormat("the request has too many parameters; the limit is %d", kMaxFormFields));
  }
  return absl::OkStatus();
}

uint64_t FormBytes(const Request& request) {
  constexpr uint64_t kFieldBytes = 128;
  const size_t text_bytes = request.target.size() + (IsForm(request) ? request.body.size() : 0);
  return 2 * text_bytes + kFieldBytes * FieldCount(request);
}

absl::Status CheckQueryTexts(const Form& form, uint64_t max_bytes) {
  uint64_t bytes = form.Get("query").size();
  for (const std::string_view selector : form.GetAll("match[]")) bytes += selector.size();
  if (bytes <= max_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "the query has %d bytes; the limit is %d (query.max-length)", bytes, max_bytes));
}

Response FormRefusal(const absl::Status& status) {
  if (absl::IsUnavailable(status)) return FailureReply(status);
  Response response = ErrorReply(ErrorType::kBadData, Message(status));
  response.status = 413;
  return response;
}

}  // namespace lockstep::api
