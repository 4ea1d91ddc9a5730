#include "cli/report.h"

#include <cstdio>
#include <memory>

#include "cli/ask.h"

namespace lockstep::cli {
namespace {

absl::StatusOr<std::string> AskForReport(const ReportFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client,
                            HttpClient::Make(flags.server));
  return AskForText(*client, "/api/v1/training/report",
                    {{"job", flags.job},
                     {"start", flags.start},
                     {"end", flags.end},
                     {"price", flags.price},
                     {"format", flags.as_json       ? "json"
                                : flags.as_markdown ? "markdown"
                                                    : "text"}});
}

}  // namespace

ExitCode Report(const ReportFlags& flags) {
  const absl::StatusOr<std::string> text = AskForReport(flags);
  if (!text.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", std::string(Message(text.status())).c_str());
    return kFailure;
  }
  std::fputs(text->c_str(), stdout);
  if (flags.as_json) std::fputc('\n', stdout);
  return kSuccess;
}

}  // namespace lockstep::cli
