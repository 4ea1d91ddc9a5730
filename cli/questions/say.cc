#include "cli/questions/say.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "absl/strings/numbers.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/visible_text.h"
#include "cli/terminal/watch.h"

namespace lockstep::cli {
namespace {

// The timeout of one request with --watch, where the next one follows soon.
constexpr std::chrono::milliseconds kWatchTimeout{30'000};

ExitCode Complain(const absl::Status& status) {
  std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(status)).c_str());
  return kFailure;
}

std::string TextOf(const Page& page, const AnswerForm& form) {
  if (form.as_json) return AsJson(page.sheet);
  if (form.as_csv) return AsCsv(page.sheet);
  const std::string table = page.sheet.rows.empty() ? "" : ForPeople(page.sheet, GlyphsOfLocale());
  const bool has_both = !page.headline.empty() && !table.empty();
  return page.headline + (has_both ? "\n" : "") + table;
}

}  // namespace

ExitCode SayText(const HttpClientOptions& server, const AnswerForm& form,
                 const std::function<absl::StatusOr<std::string>(HttpClient&)>& ask) {
  HttpClientOptions options = server;
  if (!form.watch_s.empty()) options.timeout = kWatchTimeout;
  const auto client = HttpClient::Make(options);
  if (!client.ok()) return Complain(client.status());
  // Programs get the raw bytes.
  const bool is_for_programs = (form.as_json || form.as_csv) && !Terminal::IsThere();
  const auto fit = [&]() -> absl::StatusOr<std::string> {
    LOCKSTEP_ASSIGN_OR_RETURN(std::string text, ask(**client));
    return is_for_programs ? std::move(text) : VisibleText(text);
  };
  if (double watch_s = 0; absl::SimpleAtod(form.watch_s, &watch_s)) {
    const auto place = form.as_json || form.as_csv ? WatchPlace::kLines : WatchPlace::kScreen;
    return Watch(watch_s, place, fit);
  }
  const absl::StatusOr<std::string> text = fit();
  if (!text.ok()) return Complain(text.status());
  std::fputs(text->c_str(), stdout);
  return kSuccess;
}

ExitCode SayPage(const HttpClientOptions& server, const AnswerForm& form,
                 const std::function<absl::StatusOr<Page>(HttpClient&)>& ask) {
  return SayText(server, form, [&](HttpClient& client) -> absl::StatusOr<std::string> {
    LOCKSTEP_ASSIGN_OR_RETURN(const Page page, ask(client));
    return TextOf(page, form);
  });
}

}  // namespace lockstep::cli
