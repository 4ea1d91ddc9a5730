// `lockstep query`: a query to a server, at one time or over a range of it.
#pragma once

#include <string>

#include "cli/answer_form.h"
#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct QueryFlags {
  HttpClientOptions server;
  AnswerForm form;
  std::string time;   // Unix seconds or RFC 3339; "" is now
  std::string range;  // a duration that ends at `time`; "" asks at that time alone
  std::string step;   // a duration; "" is a sixtieth of the range
  std::string expression;
};

ExitCode Query(const QueryFlags& flags);

}  // namespace lockstep::cli
