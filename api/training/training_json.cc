#include "api/training/training_json.h"

#include <optional>

namespace lockstep::api {

std::vector<int64_t> RanksOf(const training::Job& job, std::span<const size_t> rows) {
  std::vector<int64_t> ranks;
  for (const size_t row : rows) {
    if (row < job.ranks.size()) ranks.push_back(job.ranks[row].rank);
  }
  return ranks;
}

void WriteTimeRange(JsonWriter& json, const TimeRange& time) {
  json.Field("from", UnixSeconds(time.min_ms));
  json.Field("to", UnixSeconds(time.max_ms));
}

namespace {

void WriteConfidenceAs(JsonWriter& json, std::string_view key,
                       const training::Confidence& confidence) {
  json.Key(key);
  json.BeginObject();
  json.Field("steps", confidence.steps);
  json.Field("samples", confidence.samples);
  json.Field("margin", confidence.margin);
  json.Field("missing", confidence.missing);
  json.EndObject();
}

}  // namespace

void WriteConfidence(JsonWriter& json, const training::Confidence& confidence) {
  WriteConfidenceAs(json, "confidence", confidence);
}

void WriteVerdict(JsonWriter& json, const training::Job& job,
                  const training::JobVerdictAnswer& answer) {
  json.Field("verdict", Name(answer.verdict));
  WriteNames(json, "also", answer.also);
  json.Field("sentence", answer.sentence);
  json.Field("verdict_ranks", RanksOf(job, answer.rows));
  WriteConfidenceAs(json, "verdict_confidence", answer.confidence);
}

void WriteEvidence(JsonWriter& json, std::span<const training::Evidence> evidence) {
  WriteObjects(json, "evidence", evidence, [&](const training::Evidence& one) {
    json.Field("signal", one.signal);
    json.Field("value", one.value);
    json.Field("reference", one.reference);
    json.Field("unit", one.unit);
    json.Field("words", one.words);
  });
}

void WritePlace(JsonWriter& json, const training::RankPlace& place) {
  json.Field("rank", place.rank);
  json.Field("host", place.host);
  json.Field("gpu", place.gpu);
  json.Field("uuid", place.gpu_uuid);
}

void WriteCurrency(JsonWriter& json, std::string_view currency) {
  json.Field("currency", currency.empty() ? std::nullopt : std::optional(currency));
}

void WriteHead(JsonWriter& json, const answers::Subject& subject) {
  json.Field("job", subject.job.name);
  json.Field("attempt", subject.attempt);
  WriteTimeRange(json, subject.time);
}

}  // namespace lockstep::api
