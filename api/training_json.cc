#include "api/training_json.h"

#include <cmath>

namespace lockstep::api {
namespace {

void WriteNull(JsonWriter& json) { json.Raw() += "null"; }

}  // namespace

void WriteKnown(JsonWriter& json, double value) {
  if (!std::isfinite(value)) return WriteNull(json);
  json.Number(value);
}

void WriteKnown(JsonWriter& json, std::optional<int64_t> value) {
  if (!value.has_value()) return WriteNull(json);
  json.Number(*value);
}

void WriteTime(JsonWriter& json, int64_t time_ms) {
  json.Number(static_cast<double>(time_ms) / 1000.0);
}

void WriteTextField(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  json.String(text);
}

void WriteNumberField(JsonWriter& json, std::string_view key, double value) {
  json.Key(key);
  WriteKnown(json, value);
}

void WriteIntegerField(JsonWriter& json, std::string_view key, std::optional<int64_t> value) {
  json.Key(key);
  WriteKnown(json, value);
}

void WriteFlagField(JsonWriter& json, std::string_view key, bool value) {
  json.Key(key);
  json.Bool(value);
}

void WriteNumbersField(JsonWriter& json, std::string_view key, std::span<const double> values) {
  json.Key(key);
  json.BeginArray();
  for (const double value : values) WriteKnown(json, value);
  json.EndArray();
}

void WriteTextsField(JsonWriter& json, std::string_view key, std::span<const std::string> texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteTimeRange(JsonWriter& json, const training::TimeRange& time) {
  json.Key("from");
  WriteTime(json, time.from_ms);
  json.Key("to");
  WriteTime(json, time.to_ms);
}

namespace {

void WriteConfidenceAs(JsonWriter& json, std::string_view key,
                       const training::Confidence& confidence) {
  json.Key(key);
  json.BeginObject();
  json.Key("steps");
  json.Number(confidence.steps);
  json.Key("samples");
  json.Number(confidence.samples);
  WriteNumberField(json, "margin", confidence.margin);
  WriteTextsField(json, "missing", confidence.missing);
  json.EndObject();
}

}  // namespace

void WriteConfidence(JsonWriter& json, const training::Confidence& confidence) {
  WriteConfidenceAs(json, "confidence", confidence);
}

void WriteVerdict(JsonWriter& json, const training::Job& job,
                  const training::JobVerdictAnswer& answer) {
  WriteTextField(json, "verdict", Name(answer.verdict));
  json.Key("also");
  json.BeginArray();
  for (const training::JobVerdict verdict : answer.also) json.String(Name(verdict));
  json.EndArray();
  WriteTextField(json, "sentence", answer.sentence);
  json.Key("verdict_ranks");
  json.BeginArray();
  for (const size_t row : answer.rows) {
    if (row < job.ranks.size()) json.Number(job.ranks[row].rank);
  }
  json.EndArray();
  WriteConfidenceAs(json, "verdict_confidence", answer.confidence);
}

void WriteEvidence(JsonWriter& json, std::span<const training::Evidence> evidence) {
  json.Key("evidence");
  json.BeginArray();
  for (const training::Evidence& one : evidence) {
    json.BeginObject();
    WriteTextField(json, "signal", one.signal);
    WriteNumberField(json, "value", one.value);
    WriteNumberField(json, "reference", one.reference);
    WriteTextField(json, "unit", one.unit);
    WriteTextField(json, "words", one.words);
    json.EndObject();
  }
  json.EndArray();
}

void WritePlace(JsonWriter& json, const training::RankPlace& place) {
  json.Key("rank");
  json.Number(place.rank);
  WriteTextField(json, "host", place.host);
  WriteTextField(json, "gpu", place.gpu);
  WriteTextField(json, "uuid", place.gpu_uuid);
}

void WriteHead(JsonWriter& json, const answers::LoadedJob& job) {
  WriteTextField(json, "job", job.job.name);
  json.Key("attempt");
  json.Number(job.attempt);
  WriteTimeRange(json, job.time);
}

}  // namespace lockstep::api
