#include <cstdio>
#include <memory>

#include "absl/strings/str_format.h"
#include "cli/client/ask.h"
#include "cli/questions/missing_jobs.h"
#include "cli/questions/questions.h"
#include "cli/terminal/visible_text.h"

namespace lockstep::cli {
namespace {

absl::StatusOr<std::string> AskForReport(const ReportFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client,
                            HttpClient::Make(flags.server));
  absl::StatusOr<std::string> text = AskForText(*client, "/api/v1/training/report",
                                                {{"job", flags.job},
                                                 {"start", flags.start},
                                                 {"end", flags.end},
                                                 {"price", flags.price},
                                                 {"format", flags.as_json       ? "json"
                                                            : flags.as_markdown ? "markdown"
                                                                                : "text"}});
  // The server rejected the request; perhaps there is no such job.
  if (absl::IsFailedPrecondition(text.status())) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s%s", Message(text.status()), AdviceOnMissingJob(*client, flags.job)));
  }
  return text;
}

}  // namespace

ExitCode Report(const ReportFlags& flags) {
  const absl::StatusOr<std::string> text = AskForReport(flags);
  if (!text.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(text.status())).c_str());
    return kFailure;
  }
  std::fputs(VisibleText(*text).c_str(), stdout);
  if (flags.as_json) std::fputc('\n', stdout);
  return kSuccess;
}

}  // namespace lockstep::cli
