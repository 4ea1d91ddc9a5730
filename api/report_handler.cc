#include "api/report_handler.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/job_loader.h"
#include "answers/report.h"
#include "answers/verdict.h"
#include "api/bottlenecks_json.h"
#include "api/efficiency_json.h"
#include "api/events_json.h"
#include "api/jobs_json.h"
#include "api/ledger_json.h"
#include "api/reply.h"
#include "api/stragglers_json.h"
#include "api/training_json.h"
#include "api/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using answers::JobFindings;
using answers::LoadedJob;

struct ReportQuestion {
  answers::JobQuery job;
  StragglerQuestion stragglers;
  EfficiencyQuestion efficiency;
  Prices prices;
  std::optional<answers::ReportFormat> format;  // JSON if none
};

absl::StatusOr<std::optional<answers::ReportFormat>> FormatOf(std::string_view name) {
  if (name.empty() || name == "json") return std::nullopt;
  if (name == "text") return answers::ReportFormat::kText;
  if (name == "markdown") return answers::ReportFormat::kMarkdown;
  return absl::InvalidArgumentError(absl::StrFormat(
      "invalid parameter \"format\": \"%s\" is none of json, text, markdown", name));
}

absl::StatusOr<ReportQuestion> ReportQuestionOf(const Form& form, const Prices& told) {
  ReportQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQueryOf(form));
  question.job.needs = answers::JobNeeds::Everything();
  LOCKSTEP_ASSIGN_OR_RETURN(question.stragglers, StragglerQuestionOf(form, told));
  LOCKSTEP_ASSIGN_OR_RETURN(question.efficiency, EfficiencyQuestionOf(form));
  LOCKSTEP_ASSIGN_OR_RETURN(question.prices, PricesOf(form, told));
  LOCKSTEP_ASSIGN_OR_RETURN(question.format, FormatOf(form.Get("format")));
  return question;
}

struct Report {
  std::vector<LoadedJob> attempts;
  JobFindings findings;
};

absl::StatusOr<Report> Find(const ReportQuestion& question, const TrainingContext& context,
                            QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const answers::LoadContext load{*querier, context.pool, budget};
  Report report;
  answers::JobQuery query = question.job;
  query.now_ms = std::min(query.time.max_ms, context.now_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(report.attempts, answers::LoadAttempts(query, load));
  const answers::JobListQuery about{question.job.name, question.job.time, context.now_ms};
  LOCKSTEP_ASSIGN_OR_RETURN(auto listed, answers::ListJobs(about, load));
  JobFindings& findings = report.findings;
  LOCKSTEP_RETURN_IF_ERROR(answers::Judge(listed, about, load));
  if (!listed.empty()) findings.summary = std::move(listed.front());
  const LoadedJob& job = report.attempts.back();
  findings.job = &job;
  findings.stragglers = StragglersOf(job, question.stragglers, context.pool);
  LOCKSTEP_RETURN_IF_ERROR(budget.Check());
  findings.bottlenecks =
      training::FindBottlenecks({job.job, job.steps, job.devices, job.facts.world_size});
  findings.efficiency = EfficiencyOf(job, question.efficiency);
  findings.ledger = LedgerOf(report.attempts);
  findings.bill = BillOf(job, question.prices, findings.ledger);
  findings.currency = question.prices.currency;
  findings.energy = EnergyOf(report.attempts, question.prices);
  LOCKSTEP_RETURN_IF_ERROR(budget.Check());
  findings.events = EventsOf(job, context.now_ms);
  return report;
}

void WriteReport(JsonWriter& json, const Report& report, const ReportQuestion& question,
                 TaskPool& pool) {
  const JobFindings& findings = report.findings;
  const LoadedJob& job = *findings.job;
  json.BeginObject();
  WriteHead(json, job);
  json.Key("words");
  json.BeginArray();
  for (const answers::ReportSection& section : answers::ReportOf(findings)) {
    for (const std::string& sentence : section.sentences) json.String(sentence);
  }
  json.EndArray();
  json.Key("summary");
  WriteJob(json, findings.summary);
  json.Key("stragglers");
  WriteStragglers(json, job, findings.stragglers, question.prices, pool);
  json.Key("bottlenecks");
  WriteBottlenecks(json, job, findings.bottlenecks);
  json.Key("mfu");
  WriteEfficiency(json, job, question.efficiency, findings.efficiency);
  json.Key("ledger");
  WriteLedger(json, report.attempts, question.prices, findings.ledger, findings.energy);
  json.Key("events");
  WriteEvents(json, job, findings.events);
  json.EndObject();
}

}  // namespace

Response HandleReport(const Call& call, const TrainingContext& context, QueryBudget& budget) {
  const auto question = ReportQuestionOf(call.form, context.prices);
  if (!question.ok()) return TrainingFailure(question.status());
  const auto report = Find(*question, context, budget);
  if (!report.ok()) return TrainingFailure(report.status());
  if (!question->format.has_value()) {
    return SuccessReply(
        [&](JsonWriter& json) { WriteReport(json, *report, *question, context.pool); });
  }
  Response response;
  if (*question->format == answers::ReportFormat::kMarkdown) {
    response.content_type = "text/markdown; charset=utf-8";
  }
  response.body = answers::Rendered(answers::ReportOf(report->findings), *question->format);
  return response;
}

}  // namespace lockstep::api
