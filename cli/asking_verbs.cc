#include "cli/asking_verbs.h"

#include "cli/server_flags.h"

namespace lockstep::cli {
namespace {

constexpr const char* kUrl = "--url,--server";

void AddFormFlags(CLI::App& verb, AnswerForm& form) {
  CLI::Option* json = verb.add_flag("--json", form.as_json, "As JSON.");
  verb.add_flag("--csv", form.as_csv, "As CSV.")->excludes(json);
  verb.add_flag("--watch{2}", form.watch_s,
                "Again every two seconds, or every N with --watch=N, until q or Ctrl-C.")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 86400.0));
}

void AddTimes(CLI::App& verb, std::string& start, std::string& end, const char* start_help,
              const char* end_help) {
  verb.add_option("--start", start, start_help)->type_name("TIME");
  verb.add_option("--end", end, end_help)->type_name("TIME");
}

CLI::App* AddQuery(CLI::App& app, QueryFlags& flags) {
  CLI::App* query = app.add_subcommand(
      "query", "Ask a server; print the answer as a table, of a range with curves.");
  AddServerFlags(*query, kUrl, flags.server);
  query->add_option("--time", flags.time, "Unix seconds or RFC 3339. [now]")->type_name("TIME");
  CLI::Option* range =
      query->add_option("--range", flags.range, "Ask about so long before that time: 15m, 2h.")
          ->type_name("DURATION");
  query->add_option("--step", flags.step, "Between two points of the range. [a sixtieth of it]")
      ->type_name("DURATION")
      ->needs(range);
  AddFormFlags(*query, flags.form);
  query->add_option("EXPR", flags.expression, "The PromQL expression.")->required();
  return query;
}

CLI::App* AddJobs(CLI::App& app, JobsFlags& flags) {
  CLI::App* jobs = app.add_subcommand(
      "jobs", "List training jobs: how they are, their pace, MFU, goodput, the late rank.");
  AddServerFlags(*jobs, kUrl, flags.server);
  AddTimes(*jobs, flags.start, flags.end, "Unix seconds or RFC 3339. [30 days ago]",
           "Likewise. [now]");
  AddFormFlags(*jobs, flags.form);
  return jobs;
}

CLI::App* AddRanks(CLI::App& app, RanksFlags& flags) {
  CLI::App* ranks =
      app.add_subcommand("ranks", "Show the ranks of a training job, the latest first.");
  AddServerFlags(*ranks, kUrl, flags.server);
  AddTimes(*ranks, flags.start, flags.end, "Unix seconds or RFC 3339. [the job's begin]",
           "Likewise. [the job's end]");
  AddFormFlags(*ranks, flags.form);
  ranks->add_option("JOB", flags.job, "The job's name.")->required();
  return ranks;
}

CLI::App* AddReport(CLI::App& app, ReportFlags& flags) {
  CLI::App* report =
      app.add_subcommand("report", "Say how a training job did: stragglers, bottlenecks, cost.");
  AddServerFlags(*report, kUrl, flags.server);
  AddTimes(*report, flags.start, flags.end, "Unix seconds or RFC 3339. [the job's begin]",
           "Likewise. [the job's end]");
  report
      ->add_option("--price", flags.price,
                   "Of a GPU-hour: a number, or by model, as in h200-sxm5-141gb:3.2.")
      ->type_name("PRICE");
  CLI::Option* json =
      report->add_flag("--json", flags.as_json, "All answers, as the API has them.");
  report->add_flag("--markdown", flags.as_markdown, "For a ticket or a wiki.")->excludes(json);
  report->add_option("JOB", flags.job, "The job's name.")->required();
  return report;
}

}  // namespace

AskingVerbs::AskingVerbs(CLI::App& app)
    : query_verb_(AddQuery(app, query_)),
      jobs_verb_(AddJobs(app, jobs_)),
      ranks_verb_(AddRanks(app, ranks_)),
      report_verb_(AddReport(app, report_)) {}

bool AskingVerbs::parsed() const {
  return query_verb_->parsed() || jobs_verb_->parsed() || ranks_verb_->parsed() ||
         report_verb_->parsed();
}

ExitCode AskingVerbs::Run() const {
  if (query_verb_->parsed()) return Query(query_);
  if (jobs_verb_->parsed()) return ListJobs(jobs_);
  if (ranks_verb_->parsed()) return ShowRanks(ranks_);
  return Report(report_);
}

}  // namespace lockstep::cli
