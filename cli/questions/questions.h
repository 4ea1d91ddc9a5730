// The questions that the command line asks a server, with their flags.
#pragma once

#include <string>

#include "cli/client/http_client.h"
#include "cli/process/exit_code.h"
#include "cli/questions/say.h"

namespace lockstep::cli {

// `lockstep jobs`: a server's training jobs, the latest first.
struct JobsFlags {
  HttpClientOptions server;
  AnswerForm form;
  std::string start;  // Unix seconds or RFC 3339; "" is 30 days ago
  std::string end;    // "" is now
};

ExitCode ListJobs(const JobsFlags& flags);

// `lockstep ranks`: compares the ranks of a training job, slowest first.
struct RanksFlags {
  HttpClientOptions server;
  AnswerForm form;
  std::string job;
  std::string start;  // Unix seconds or RFC 3339; "" is the start of the job
  std::string end;    // "" is the end of the job
};

ExitCode ShowRanks(const RanksFlags& flags);

// `lockstep report`: everything a server can tell about a training job, as text.
struct ReportFlags {
  HttpClientOptions server;
  std::string job;
  std::string start;  // Unix seconds or RFC 3339; "" is the start of the job
  std::string end;    // "" is the end of the job
  std::string price;  // of a GPU-hour: a number, or MODEL:NUMBER,...
  bool as_json = false;
  bool as_markdown = false;
};

ExitCode Report(const ReportFlags& flags);

// `lockstep hang`: why a training job hangs, as text.
struct HangFlags {
  HttpClientOptions server;
  std::string job;
  bool as_json = false;
};

ExitCode ExplainHang(const HangFlags& flags);

// `lockstep query`: an instant or range query.
struct QueryFlags {
  HttpClientOptions server;
  AnswerForm form;
  std::string time;   // Unix seconds or RFC 3339; "" is now
  std::string range;  // a duration that ends at `time`; "" queries `time` only
  std::string step;   // a duration; "" is 1/60 of the range
  std::string expression;
};

ExitCode Query(const QueryFlags& flags);

// `lockstep mcp`: the Model Context Protocol on standard input and output, until the input ends.
struct McpFlags {
  HttpClientOptions server;
};

ExitCode ServeMcp(const McpFlags& flags);

}  // namespace lockstep::cli
