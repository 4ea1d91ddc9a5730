// `lockstep jobs`: the training jobs of a server, the latest first.
#pragma once

#include <string>

#include "cli/answer_form.h"
#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct JobsFlags {
  HttpClientOptions server;
  AnswerForm form;
  std::string start;  // Unix seconds or RFC 3339; "" is 30 days ago
  std::string end;    // "" is now
};

ExitCode ListJobs(const JobsFlags& flags);

}  // namespace lockstep::cli
