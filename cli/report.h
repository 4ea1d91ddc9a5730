// `lockstep report`: all that a server can say about a training job, as a page of text.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct ReportFlags {
  HttpClientOptions server;
  std::string job;
  std::string start;  // Unix seconds or RFC 3339; "" is where the job begins
  std::string end;    // "" is where it ends
  std::string price;  // of a GPU-hour: a number, or MODEL:NUMBER,...
  bool as_json = false;
  bool as_markdown = false;
};

ExitCode Report(const ReportFlags& flags);

}  // namespace lockstep::cli
