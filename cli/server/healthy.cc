#include "cli/server/healthy.h"
#include "cli/terminal/visible_text.h"

#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

constexpr int kOkStatus = 200;
constexpr int kUnauthorizedStatus = 401;
// Shorter than the usual timeout of a health check, so that the reason is printed.
constexpr std::chrono::seconds kAnswerWithin{4};

absl::Status CheckHealth(const HttpClientOptions& server) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client, HttpClient::Make(server));
  LOCKSTEP_ASSIGN_OR_RETURN(const HttpReply reply, client->Get("/-/healthy"));
  const bool gave_credentials = !server.user.empty() || !server.token_file.empty();
  if (reply.status == kOkStatus) return absl::OkStatus();
  if (reply.status == kUnauthorizedStatus && !gave_credentials) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrFormat("%s is not healthy: HTTP %d", server.url, reply.status));
}

}  // namespace

ExitCode Healthy(HttpClientOptions server) {
  server.timeout = kAnswerWithin;
  const absl::Status health = CheckHealth(server);
  if (health.ok()) return kSuccess;
  std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(health)).c_str());
  return kFailure;
}

}  // namespace lockstep::cli
