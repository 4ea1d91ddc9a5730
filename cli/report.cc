#include "cli/report.h"

#include <cstdio>
#include <memory>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/percent_encode.h"
#include "cli/query.h"

namespace lockstep::cli {
namespace {

constexpr int kHttpOk = 200;

std::string FormOf(const ReportFlags& flags) {
  std::string form = "job=" + PercentEncode(flags.job);
  const auto add = [&form](std::string_view name, const std::string& value) {
    if (!value.empty()) form += absl::StrFormat("&%s=%s", name, PercentEncode(value));
  };
  add("start", flags.start);
  add("end", flags.end);
  add("price", flags.price);
  add("format", flags.as_json ? "json" : flags.as_markdown ? "markdown" : "text");
  return form;
}

absl::StatusOr<std::string> Ask(const ReportFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client,
                            HttpClient::Make(flags.server));
  LOCKSTEP_ASSIGN_OR_RETURN(
      HttpReply reply,
      client->Post("/api/v1/training/report", {"Content-Type: application/x-www-form-urlencoded"},
                   FormOf(flags)));
  if (reply.status == kHttpOk) return std::move(reply.body);
  // The answer says what is wrong as those to queries do.
  const absl::StatusOr<std::string> text = AnswerText(reply.body);
  return Annotate(text.ok() ? absl::DataLossError(*text) : text.status(),
                  absl::StrFormat("HTTP %d", reply.status));
}

}  // namespace

ExitCode Report(const ReportFlags& flags) {
  const absl::StatusOr<std::string> text = Ask(flags);
  if (!text.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", std::string(Message(text.status())).c_str());
    return kFailure;
  }
  std::fputs(text->c_str(), stdout);
  if (flags.as_json) std::fputc('\n', stdout);
  return kSuccess;
}

}  // namespace lockstep::cli
