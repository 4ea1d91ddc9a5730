#include "api/training/report_handler.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/hang.h"
#include "answers/report.h"
#include "api/http/reply.h"
#include "api/training/bottlenecks_json.h"
#include "api/training/efficiency_json.h"
#include "api/training/events_json.h"
#include "api/training/hang_handlers.h"
#include "api/training/jobs_json.h"
#include "api/training/ledger_json.h"
#include "api/training/stragglers_json.h"
#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using answers::JobFindings;
using answers::ReportFormat;

absl::StatusOr<answers::ReportQuestion> ReportQuestionOf(const Form& form,
                                                         const answers::Prices& defaults) {
  answers::ReportQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  LOCKSTEP_ASSIGN_OR_RETURN(question.prices, PricesOf(form, defaults));
  LOCKSTEP_ASSIGN_OR_RETURN(question.method, MethodOf(form));
  LOCKSTEP_ASSIGN_OR_RETURN(question.efficiency, EfficiencyOptionsOf(form));
  return question;
}

// Empty: JSON.
absl::StatusOr<std::optional<ReportFormat>> FormatOf(std::string_view name) {
  if (name.empty() || name == "json") return std::nullopt;
  if (name == "text") return ReportFormat::kText;
  if (name == "markdown") return ReportFormat::kMarkdown;
  return absl::InvalidArgumentError(absl::StrFormat(
      "invalid parameter \"format\": \"%s\" is not one of json, text, markdown", name));
}

void WriteReport(JsonWriter& json, const JobFindings& findings) {
  std::vector<std::string> words;
  for (const answers::ReportSection& section : answers::ReportOf(findings)) {
    words.insert(words.end(), section.sentences.begin(), section.sentences.end());
  }
  json.BeginObject();
  WriteHead(json, findings.subject);
  json.Field("words", words);
  json.Key("summary");
  WriteJob(json, findings.summary);
  json.Key("stragglers");
  WriteStragglers(json, findings.stragglers);
  json.Key("bottlenecks");
  WriteBottlenecks(json, findings.bottlenecks);
  json.Key("mfu");
  WriteEfficiency(json, findings.efficiency);
  json.Key("ledger");
  WriteLedger(json, findings.ledger);
  json.Key("events");
  WriteEvents(json, findings.events);
  json.EndObject();
}

Response TextOf(const JobFindings& findings, ReportFormat format) {
  Response response;
  if (format == ReportFormat::kMarkdown) {
    response.content_type = "text/markdown; charset=utf-8";
  }
  response.body = answers::Rendered(answers::ReportOf(findings), format);
  return response;
}

absl::Status AddHang(const Call& call, const TrainingContext& context,
                     const answers::JobQuestion& question, JobFindings& findings) {
  MemoryCharge memory{MemoryAccount::kQueries};
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<hang::RankRecord> records,
                            RecordsOfJob(call, question.name, context.answers.now_ms, memory));
  if (records.empty()) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(const answers::JobHang found,
                            answers::AnswerHang(question, records, context.answers));
  findings.hang = {found.sentence};
  findings.hang.insert(findings.hang.end(), found.answer.remarks.begin(),
                       found.answer.remarks.end());
  return absl::OkStatus();
}

}  // namespace

Response HandleReport(const Call& call, const TrainingContext& context) {
  const auto question = ReportQuestionOf(call.form, context.prices);
  if (!question.ok()) return TrainingFailure(question.status());
  const auto format = FormatOf(call.form.Get("format"));
  if (!format.ok()) return TrainingFailure(format.status());
  auto findings = answers::AnswerReport(*question, context.answers);
  if (!findings.ok()) return TrainingFailure(findings.status());
  const absl::Status hang = AddHang(call, context, question->job, *findings);
  if (!hang.ok()) return TrainingFailure(hang);
  if (format->has_value()) return TextOf(*findings, **format);
  return SuccessReply([&](JsonWriter& json) { WriteReport(json, *findings); });
}

}  // namespace lockstep::api
