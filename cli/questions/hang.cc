#include <cstdio>
#include <memory>

#include "absl/strings/str_format.h"
#include "cli/client/ask.h"
#include "cli/questions/missing_jobs.h"
#include "cli/questions/questions.h"
#include "cli/terminal/visible_text.h"

namespace lockstep::cli {
namespace {

absl::StatusOr<std::string> AskWhyItHangs(const HangFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client,
                            HttpClient::Make(flags.server));
  absl::StatusOr<std::string> text =
      AskForText(*client, "/api/v1/training/hang",
                 {{"job", flags.job}, {"format", flags.as_json ? "json" : "text"}});
  // The server rejected the request; perhaps there is no such job.
  if (absl::IsFailedPrecondition(text.status())) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s%s", Message(text.status()), AdviceOnMissingJob(*client, flags.job)));
  }
  return text;
}

}  // namespace

ExitCode ExplainHang(const HangFlags& flags) {
  const absl::StatusOr<std::string> text = AskWhyItHangs(flags);
  if (!text.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(text.status())).c_str());
    return kFailure;
  }
  std::fputs(VisibleText(*text).c_str(), stdout);
  if (flags.as_json) std::fputc('\n', stdout);
  return kSuccess;
}

}  // namespace lockstep::cli
