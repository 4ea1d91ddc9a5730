#include "api/training/parallelism_json.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

constexpr size_t kMostChunks = 1000;
// Of the hosts, those that cost the most.
constexpr size_t kMostHosts = 20;

void WriteGroups(JsonWriter& json, std::string_view key,
                 const std::vector<training::GroupTime>& groups) {
  WriteObjects(json, key, groups, [&](const training::GroupTime& group) {
    json.Field("name", group.name);
    json.Field("ranks", group.ranks);
    json.Field("own_seconds", group.own_seconds);
    json.Field("step_seconds_without", group.step_seconds_without);
  });
}

std::vector<training::GroupTime> SlowestHosts(std::vector<training::GroupTime> hosts) {
  std::ranges::stable_sort(hosts, std::greater<>(), &training::GroupTime::own_seconds);
  hosts.resize(std::min(hosts.size(), kMostHosts));
  return hosts;
}

void WriteBubble(JsonWriter& json, const training::PipelineBubble& bubble) {
  json.Key("bubble");
  if (bubble.stages < 2) return json.Null();
  json.BeginObject();
  json.Field("stages", bubble.stages);
  json.Field("micro_batches", bubble.micro_batches);
  json.Field("interleave", bubble.interleave);
  json.Field("ratio", bubble.ratio);
  json.Field("theory_ratio", bubble.theory_ratio);
  json.EndObject();
}

}  // namespace

absl::StatusOr<answers::ParallelismQuestion> ParallelismQuestionOf(const Form& form) {
  answers::ParallelismQuestion question;
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "interleave", kMostChunks, question.interleave));
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  return question;
}

void WriteParallelismAnswer(JsonWriter& json, const answers::JobParallelism& found) {
  const training::ParallelismAnswer& answer = found.answer;
  json.BeginObject();
  WriteHead(json, found.subject);
  json.Field("step_seconds", answer.step_seconds);
  WriteBubble(json, answer.bubble);
  WriteGroups(json, "stages", answer.stages);
  json.Field("stage_imbalance_ratio", answer.stage_imbalance_ratio);
  WriteGroups(json, "experts", answer.experts);
  json.Field("expert_imbalance_ratio", answer.expert_imbalance_ratio);
  WriteGroups(json, "hosts", SlowestHosts(answer.hosts));
  json.Field("missing", answer.missing);
  json.EndObject();
}

}  // namespace lockstep::api
