#include "api/training/stragglers_json.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using answers::JobStragglers;
using training::StragglerEpisode;

void WriteEpisode(JsonWriter& json, const StragglerEpisode& episode) {
  WriteTimeRange(json, episode.time);
  json.Field("first_step", episode.first_step);
  json.Field("last_step", episode.last_step);
  json.Field("is_open", episode.is_open);
}

// From the start of the first episode to the end of the last.
StragglerEpisode SpanOf(const std::vector<StragglerEpisode>& episodes) {
  StragglerEpisode span;
  if (episodes.empty()) return span;
  span = episodes.back();
  span.time.min_ms = episodes.front().time.min_ms;
  span.first_step = episodes.front().first_step;
  return span;
}

void WriteRank(JsonWriter& json, const training::Job& job,
               const training::SlowRankFinding& finding) {
  WritePlace(json, job.ranks[finding.row]);
  json.Field("verdict", Name(training::StragglerVerdict::kSlowRank));
  json.Field("cause", Name(finding.cause));
  json.Field("gpu_reason", Name(finding.gpu_reason));
  json.Field("score", finding.score);
  json.Field("persistence", finding.persistence);
  WriteEpisode(json, SpanOf(finding.episodes));
  WriteObjects(json, "episodes", finding.episodes,
               [&](const StragglerEpisode& episode) { WriteEpisode(json, episode); });
  json.Field("lost_seconds", finding.lost_seconds);
  WriteEvidence(json, finding.evidence);
}

// How far the data reaches, and which ranks do not report.
void WriteFrontier(JsonWriter& json, const JobStragglers& found) {
  json.Field("is_running", found.is_running);
  json.Field("frontier_step", found.frontier_step);
  WriteObjects(json, "not_reporting", found.not_reporting,
               [&](const training::NotReportingRank& silent) {
                 WritePlace(json, found.subject.job.ranks[silent.row]);
                 json.Field("since", UnixSeconds(silent.since_ms));
                 json.Field("last_step", silent.last_step);
               });
}

void WriteSlowSince(JsonWriter& json, const std::optional<StragglerEpisode>& episode) {
  json.Key("slow_since");
  if (!episode.has_value()) return json.Null();
  json.BeginObject();
  WriteEpisode(json, *episode);
  json.EndObject();
}

void WriteWhatIf(JsonWriter& json, const training::StragglerAnswer& answer) {
  json.Key("what_if");
  json.BeginObject();
  json.Field("step_seconds", answer.what_if.step_seconds_without);
  json.Field("step_seconds_now", answer.what_if.step_seconds_now);
  json.Field("step_seconds_before", answer.what_if.step_seconds_before);
  json.Field("saved_seconds", answer.lost_seconds);
  json.Field("saved_gpu_seconds", answer.lost_gpu_seconds);
  json.EndObject();
}

void WriteMethods(JsonWriter& json, const JobStragglers& found) {
  WriteObjects(json, "methods", found.methods, [&](const answers::MethodFinding& finding) {
    json.Field("method", Name(finding.method));
    json.Field("verdict", Name(finding.verdict));
    json.Field("ranks", RanksOf(found.subject.job, finding.rows));
  });
}

void WritePresets(JsonWriter& json, const JobStragglers& found) {
  WriteObjects(json, "presets", found.presets, [&](const training::PresetAnswer& preset) {
    std::optional<int64_t> rank;
    if (preset.row.has_value()) rank = found.subject.job.ranks[*preset.row].rank;
    json.Field("name", Name(preset.preset));
    json.Field("fires", preset.fires);
    json.Field("rank", rank);
    json.Field("value", preset.value);
    json.Field("threshold", preset.threshold);
    json.Field("sees", Sees(preset.preset));
  });
}

}  // namespace

absl::StatusOr<std::optional<training::StragglerMethod>> MethodOf(const Form& form) {
  const std::string_view name = form.Get("method");
  const std::optional<training::StragglerMethod> method = answers::StragglerMethodOf(name);
  if (!name.empty() && !method.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"method\": \"%s\" is not one of collective_waits, "
                        "phase_times, own_time, "
                        "device_counters, step_time",
                        name));
  }
  return method;
}

absl::StatusOr<answers::StragglerQuestion> StragglerQuestionOf(const Form& form,
                                                               const answers::Prices& defaults) {
  answers::StragglerQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.prices, PricesOf(form, defaults));
  LOCKSTEP_ASSIGN_OR_RETURN(question.method, MethodOf(form));
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  question.is_about_now =
      form.Get("start").empty() && form.Get("end").empty() && form.Get("attempt").empty();
  return question;
}

void WriteStragglers(JsonWriter& json, const JobStragglers& found) {
  const training::StragglerAnswer& answer = found.answer;
  json.BeginObject();
  WriteHead(json, found.subject);
  json.Field("method", Name(answer.method));
  json.Field("verdict", Name(answer.verdict));
  WriteNames(json, "also", answer.also);
  WriteObjects(json, "ranks", answer.ranks, [&](const training::SlowRankFinding& finding) {
    WriteRank(json, found.subject.job, finding);
  });
  WriteSlowSince(json, answer.slow_since);
  WriteFrontier(json, found);
  WriteWhatIf(json, answer);
  json.Field("lost_seconds", answer.lost_seconds);
  json.Field("lost_gpu_seconds", answer.lost_gpu_seconds);
  json.Field("lost_cost", found.lost_cost);
  WriteCurrency(json, found.currency);
  WriteEvidence(json, answer.evidence);
  json.Field("missing", answer.missing);
  WriteConfidence(json, answer.confidence);
  WriteMethods(json, found);
  WritePresets(json, found);
  json.EndObject();
}

}  // namespace lockstep::api
