// The verbs that query a server and print the answer.
#include <memory>
#include <string>

#include "cli/client/server_flags.h"
#include "cli/command_line.h"
#include "cli/questions/questions.h"

namespace lockstep::cli {
namespace {

// The spelling of --url in earlier releases.
constexpr const char* kServerFlag = "--server";

void AddFormFlags(CLI::App& verb, AnswerForm& form) {
  CLI::Option* json = verb.add_flag("--json", form.as_json, "Print JSON.");
  verb.add_flag("--csv", form.as_csv, "Print CSV.")->excludes(json);
  verb.add_flag("--watch{2}", form.watch_s,
                "Refresh every two seconds, or every N with --watch=N, until q or Ctrl-C.")
      ->type_name("SECONDS")
      ->check(Unexplained(CLI::Range(0.1, 86400.0)));
}

void AddTimes(CLI::App& verb, std::string& start, std::string& end, const char* start_help,
              const char* end_help) {
  verb.add_option("--start", start, start_help)->type_name("TIME");
  verb.add_option("--end", end, end_help)->type_name("TIME");
}

void AddTimesOfJob(CLI::App& verb, std::string& start, std::string& end) {
  AddTimes(verb, start, end, "Unix seconds or RFC 3339. [start of the job]",
           "Unix seconds or RFC 3339. [end of the job]");
}

void AddQuery(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<QueryFlags>();
  CLI::App* query = program.add_subcommand(
      "query", "Run a PromQL query; print a table, or one curve per series for a range.");
  AddServerFlags(*query, kServerFlag, flags->server);
  query->add_option("--time", flags->time, "Unix seconds or RFC 3339. [now]")->type_name("TIME");
  CLI::Option* range =
      query
          ->add_option("--range", flags->range,
                       "Query a range of this length that ends at --time: 15m, 2h.")
          ->type_name("DURATION");
  query
      ->add_option("--step", flags->step,
                   "Time between two points of the range. [1/60 of the range]")
      ->type_name("DURATION")
      ->needs(range);
  AddFormFlags(*query, flags->form);
  query->add_option("EXPR", flags->expression, "The PromQL expression.")->required();
  verbs.Add(query, [flags] { return Query(*flags); });
}

void AddJobs(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<JobsFlags>();
  CLI::App* jobs = program.add_subcommand(
      "jobs", "List training jobs with their state, step time, MFU, goodput and straggler.");
  AddServerFlags(*jobs, kServerFlag, flags->server);
  AddTimes(*jobs, flags->start, flags->end, "Unix seconds or RFC 3339. [30 days ago]",
           "Unix seconds or RFC 3339. [now]");
  AddFormFlags(*jobs, flags->form);
  verbs.Add(jobs, [flags] { return ListJobs(*flags); });
}

void AddRanks(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<RanksFlags>();
  CLI::App* ranks =
      program.add_subcommand("ranks", "Show the ranks of a training job, slowest first.");
  AddServerFlags(*ranks, kServerFlag, flags->server);
  AddTimesOfJob(*ranks, flags->start, flags->end);
  AddFormFlags(*ranks, flags->form);
  ranks->add_option("JOB", flags->job, "The job's name.")->required();
  verbs.Add(ranks, [flags] { return ShowRanks(*flags); });
}

void AddReport(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* report = program.add_subcommand(
      "report", "Report how a training job went: stragglers, bottlenecks, cost.");
  AddServerFlags(*report, kServerFlag, flags->server);
  AddTimesOfJob(*report, flags->start, flags->end);
  report
      ->add_option("--price", flags->price,
                   "Price of a GPU-hour: a number, or per model, such as h200-sxm5-141gb:3.2.")
      ->type_name("PRICE");
  CLI::Option* json =
      report->add_flag("--json", flags->as_json, "Print the API responses as JSON.");
  report->add_flag("--markdown", flags->as_markdown, "Print Markdown, for a ticket or a wiki.")
      ->excludes(json);
  report->add_option("JOB", flags->job, "The job's name.")->required();
  verbs.Add(report, [flags] { return Report(*flags); });
}

void AddHang(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<HangFlags>();
  CLI::App* hang = program.add_subcommand(
      "hang", "Explain why a training job hangs, from its ranks' flight recorders and stacks.");
  AddServerFlags(*hang, kServerFlag, flags->server);
  hang->add_flag("--json", flags->as_json, "Print the API response as JSON.");
  hang->add_option("JOB", flags->job, "The job's name.")->required();
  verbs.Add(hang, [flags] { return ExplainHang(*flags); });
}

void AddMcp(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<McpFlags>();
  CLI::App* mcp = program.add_subcommand(
      "mcp",
      "Offer a server's answers by the Model Context Protocol, on standard input and output.");
  AddServerFlags(*mcp, "", flags->server);
  verbs.Add(mcp, [flags] { return ServeMcp(*flags); });
}

}  // namespace

void AddAskingVerbs(CLI::App& program, Verbs& verbs) {
  AddJobs(program, verbs);
  AddRanks(program, verbs);
  AddReport(program, verbs);
  AddHang(program, verbs);
  AddQuery(program, verbs);
  AddMcp(program, verbs);
}

}  // namespace lockstep::cli
