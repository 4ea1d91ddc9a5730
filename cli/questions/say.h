// Prints the output of verbs that query a server: one page, or a new page at each interval.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "cli/client/http_client.h"
#include "cli/process/exit_code.h"
#include "cli/terminal/sheet.h"

namespace lockstep::cli {

// How a verb prints the answer, and whether it repeats.
struct AnswerForm {
  bool as_json = false;
  bool as_csv = false;
  std::string watch_s;  // a number: seconds between two queries; "" queries once
};

struct Page {
  std::string headline;  // for people; complete lines, or ""
  Sheet sheet;
};

// Calls `ask` once, or repeatedly according to `form`, and prints the results. Prints errors to
// standard error.
ExitCode SayText(const HttpClientOptions& server, const AnswerForm& form,
                 const std::function<absl::StatusOr<std::string>(HttpClient&)>& ask);

// The same for a page, in the requested form.
ExitCode SayPage(const HttpClientOptions& server, const AnswerForm& form,
                 const std::function<absl::StatusOr<Page>(HttpClient&)>& ask);

}  // namespace lockstep::cli
