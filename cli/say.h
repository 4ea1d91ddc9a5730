// What the verbs that ask a server say: one page, or one after the other.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "cli/answer_form.h"
#include "cli/exit_code.h"
#include "cli/http_client.h"
#include "cli/sheet.h"

namespace lockstep::cli {

struct Page {
  std::string headline;  // for people; whole lines, or ""
  Sheet sheet;
};

// Asks with `ask`, once or as often as `form` says, and prints what comes; complains on standard error.
ExitCode SayText(const HttpClientOptions& server, const AnswerForm& form,
                 const std::function<absl::StatusOr<std::string>(HttpClient&)>& ask);

// Likewise of a page, in the form that is asked for.
ExitCode SayPage(const HttpClientOptions& server, const AnswerForm& form,
                 const std::function<absl::StatusOr<Page>(HttpClient&)>& ask);

}  // namespace lockstep::cli
