#include "api/inner_request.h"

#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "api/http/reply.h"
#include "api/http/request_limits.h"
#include "api/routes.h"
#include "base/check.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

// The whole body, of which handlers may return the first part.
absl::StatusOr<std::string> WholeBody(Response response) {
  constexpr size_t kMaxBytes = 8 << 20;
  std::string body = std::move(response.body);
  for (bool has_more = response.rest != nullptr; has_more && body.size() <= kMaxBytes;) {
    LOCKSTEP_ASSIGN_OR_RETURN(has_more, response.rest->Next(body));
  }
  if (body.size() <= kMaxBytes) return body;
  return absl::ResourceExhaustedError(absl::StrFormat(
      "the result is larger than %d bytes; aggregate it, or ask for less", kMaxBytes));
}

}  // namespace

McpFetched AskWithin(Services& services, const Call& call, const Permit& permit,
                     const std::string& target) {
  Call asked;
  asked.request.method = "GET";
  asked.request.target = target;
  asked.request.grant = call.request.grant;
  asked.form = Form::Of(asked.request);
  asked.data = call.data;
  const absl::Status fits = CheckQueryTexts(asked.form, services.options.max_query_bytes);
  const Route* const route = FindRoute("GET", asked.request.path()).route;
  LOCKSTEP_CHECK(route != nullptr && route->role == Role::kRead &&
                 route->reach == Reach::kSomeJobs);
  Response response = fits.ok() ? std::get<PooledHandler>(route->handler)(services, asked, permit)
                                : FailureReply(fits);
  const int status = response.status;
  absl::StatusOr<std::string> body = WholeBody(std::move(response));
  if (!body.ok()) return {422, std::string(Message(body.status()))};
  return {status, *std::move(body)};
}

}  // namespace lockstep::api
