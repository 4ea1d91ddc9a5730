// `lockstep ranks`: the ranks of a training job beside each other, the slowest first.
#pragma once

#include <string>

#include "cli/answer_form.h"
#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct RanksFlags {
  HttpClientOptions server;
  AnswerForm form;
  std::string job;
  std::string start;  // Unix seconds or RFC 3339; "" is where the job begins
  std::string end;    // "" is where it ends
};

ExitCode ShowRanks(const RanksFlags& flags);

}  // namespace lockstep::cli
