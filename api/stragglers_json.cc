#include "api/stragglers_json.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/job_stragglers.h"
#include "api/training_json.h"
#include "base/status.h"
#include "training/presets.h"

namespace lockstep::api {
namespace {

using training::StragglerAnswer;
using training::StragglerEpisode;
using training::StragglerMethod;

constexpr std::array kMethods = {StragglerMethod::kCollectiveWaits, StragglerMethod::kPhaseTimes,
                                 StragglerMethod::kOwnTime, StragglerMethod::kDeviceCounters,
                                 StragglerMethod::kStepTime};

void WriteEpisode(JsonWriter& json, const StragglerEpisode& episode) {
  WriteTimeRange(json, episode.time);
  WriteIntegerField(json, "first_step", episode.first_step);
  WriteIntegerField(json, "last_step", episode.last_step);
  WriteFlagField(json, "is_open", episode.is_open);
}

// From the begin of the first episode to the end of the last.
StragglerEpisode SpanOf(const std::vector<StragglerEpisode>& episodes) {
  StragglerEpisode span;
  if (episodes.empty()) return span;
  span = episodes.back();
  span.time.from_ms = episodes.front().time.from_ms;
  span.first_step = episodes.front().first_step;
  return span;
}

void WriteRank(JsonWriter& json, const answers::LoadedJob& job,
               const training::SlowRankFinding& finding) {
  json.BeginObject();
  WritePlace(json, job.job.ranks[finding.row]);
  WriteTextField(json, "verdict", Name(training::StragglerVerdict::kSlowRank));
  WriteTextField(json, "cause", Name(finding.cause));
  WriteTextField(json, "gpu_reason", Name(finding.gpu_reason));
  WriteNumberField(json, "score", finding.score);
  WriteNumberField(json, "persistence", finding.persistence);
  WriteEpisode(json, SpanOf(finding.episodes));
  json.Key("episodes");
  json.BeginArray();
  for (const StragglerEpisode& episode : finding.episodes) {
    json.BeginObject();
    WriteEpisode(json, episode);
    json.EndObject();
  }
  json.EndArray();
  WriteNumberField(json, "lost_seconds", finding.lost_seconds);
  WriteEvidence(json, finding.evidence);
  json.EndObject();
}

// How far the answer reaches, and who does not report.
void WriteFrontier(JsonWriter& json, const answers::LoadedJob& job) {
  WriteFlagField(json, "is_running", job.is_running);
  const bool has_steps = job.steps.size() > 0;
  WriteIntegerField(json, "frontier_step",
                    has_steps ? std::optional(job.steps.step.back()) : std::nullopt);
  json.Key("not_reporting");
  json.BeginArray();
  for (const training::NotReportingRank& silent : job.not_reporting) {
    json.BeginObject();
    WritePlace(json, job.job.ranks[silent.row]);
    json.Key("since");
    WriteTime(json, silent.since_ms);
    WriteIntegerField(json, "last_step", silent.last_step);
    json.EndObject();
  }
  json.EndArray();
}

void WriteSlowSince(JsonWriter& json, const std::optional<StragglerEpisode>& episode) {
  json.Key("slow_since");
  if (!episode.has_value()) {
    json.Raw() += "null";
    return;
  }
  json.BeginObject();
  WriteEpisode(json, *episode);
  json.EndObject();
}

void WriteWhatIf(JsonWriter& json, const StragglerAnswer& answer) {
  json.Key("what_if");
  json.BeginObject();
  WriteNumberField(json, "step_seconds", answer.what_if.step_seconds_without);
  WriteNumberField(json, "step_seconds_now", answer.what_if.step_seconds_now);
  WriteNumberField(json, "step_seconds_before", answer.what_if.step_seconds_before);
  WriteNumberField(json, "saved_seconds", answer.lost_seconds);
  WriteNumberField(json, "saved_gpu_seconds", answer.lost_gpu_seconds);
  json.EndObject();
}

void WriteMethod(JsonWriter& json, const answers::LoadedJob& job, const StragglerAnswer& answer) {
  json.BeginObject();
  WriteTextField(json, "method", Name(answer.method));
  WriteTextField(json, "verdict", Name(answer.verdict));
  json.Key("ranks");
  json.BeginArray();
  for (const training::SlowRankFinding& finding : answer.ranks) {
    json.Number(job.job.ranks[finding.row].rank);
  }
  json.EndArray();
  json.EndObject();
}

// A large job's answer would take twice as long if methods that know single steps were asked beside each other.
constexpr double kSecondsPerHour = 3600;
constexpr size_t kManyCells = 1'000'000;

bool IsAskedBeside(StragglerMethod method, const answers::LoadedJob& job) {
  const bool is_cheap =
      method == StragglerMethod::kDeviceCounters || method == StragglerMethod::kStepTime;
  return is_cheap || job.job.ranks.size() * job.steps.size() <= kManyCells;
}

// What each method says by itself. `answer` was given by one of them.
void WriteMethods(JsonWriter& json, const answers::LoadedJob& job, const StragglerAnswer& answer,
                  TaskPool& pool) {
  json.Key("methods");
  json.BeginArray();
  for (const StragglerMethod method : kMethods) {
    if (method == answer.method) {
      WriteMethod(json, job, answer);
      continue;
    }
    if (!IsAskedBeside(method, job)) continue;
    const StragglerAnswer other = answers::FindStragglers(job, method, &pool);
    if (other.verdict != training::StragglerVerdict::kNoData) WriteMethod(json, job, other);
  }
  json.EndArray();
}

void WritePresets(JsonWriter& json, const answers::LoadedJob& job) {
  json.Key("presets");
  json.BeginArray();
  for (const training::PresetAnswer& preset :
       training::AskPresets(job.job, job.steps, job.devices, job.time)) {
    json.BeginObject();
    WriteTextField(json, "name", Name(preset.preset));
    WriteFlagField(json, "fires", preset.fires);
    WriteIntegerField(
        json, "rank",
        preset.row.has_value() ? std::optional(job.job.ranks[*preset.row].rank) : std::nullopt);
    WriteNumberField(json, "value", preset.value);
    WriteNumberField(json, "threshold", preset.threshold);
    WriteTextField(json, "sees", Sees(preset.preset));
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

absl::StatusOr<StragglerQuestion> StragglerQuestionOf(const Form& form, const Prices& told) {
  StragglerQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.prices, PricesOf(form, told));
  const std::string_view name = form.Get("method");
  if (name.empty()) return question;
  const auto method = std::find_if(kMethods.begin(), kMethods.end(),
                                   [name](StragglerMethod one) { return Name(one) == name; });
  if (method == kMethods.end()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"method\": \"%s\" is none of collective_waits, phase_times, own_time, "
        "device_counters, step_time",
        name));
  }
  question.method = *method;
  return question;
}

answers::JobNeeds StragglerNeeds() {
  // How much work a step had explains how long it took.
  answers::JobNeeds needs{.phases = true, .operations = true};
  needs.devices.set();
  needs.links = true;
  return needs;
}

StragglerAnswer StragglersOf(const answers::LoadedJob& job, const StragglerQuestion& question,
                             TaskPool& pool) {
  return answers::FindStragglers(job, question.method, &pool);
}

void WriteStragglers(JsonWriter& json, const answers::LoadedJob& job, const StragglerAnswer& answer,
                     const Prices& prices, TaskPool& pool) {
  json.BeginObject();
  WriteHead(json, job);
  WriteTextField(json, "method", Name(answer.method));
  WriteTextField(json, "verdict", Name(answer.verdict));
  json.Key("also");
  json.BeginArray();
  for (const training::StragglerVerdict verdict : answer.also) json.String(Name(verdict));
  json.EndArray();
  json.Key("ranks");
  json.BeginArray();
  for (const training::SlowRankFinding& finding : answer.ranks) WriteRank(json, job, finding);
  json.EndArray();
  WriteSlowSince(json, answer.slow_since);
  WriteFrontier(json, job);
  WriteWhatIf(json, answer);
  WriteNumberField(json, "lost_seconds", answer.lost_seconds);
  WriteNumberField(json, "lost_gpu_seconds", answer.lost_gpu_seconds);
  const double price = PricePerGpuHour(job, prices).value_or(training::kUnknown);
  WriteNumberField(json, "lost_cost", answer.lost_gpu_seconds / kSecondsPerHour * price);
  WriteCurrency(json, prices);
  WriteEvidence(json, answer.evidence);
  WriteTextsField(json, "missing", answer.missing);
  WriteConfidence(json, answer.confidence);
  WriteMethods(json, job, answer, pool);
  WritePresets(json, job);
  json.EndObject();
}

}  // namespace lockstep::api
