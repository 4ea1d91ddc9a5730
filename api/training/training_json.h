// JSON elements shared by the responses about training jobs: times, evidence, ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "answers/question.h"
#include "api/http/json_writer.h"
#include "training/job/confidence.h"
#include "training/job/evidence.h"
#include "training/job/job.h"
#include "training/job_verdict.h"

namespace lockstep::api {

// Responses have times in Unix seconds.
inline double UnixSeconds(int64_t time_ms) { return static_cast<double>(time_ms) / 1000.0; }

// The ranks in these rows of the job.
std::vector<int64_t> RanksOf(const training::Job& job, std::span<const size_t> rows);

void WriteTimeRange(JsonWriter& json, const TimeRange& time);  // "from", "to"
// "confidence": what a result is based on.
void WriteConfidence(JsonWriter& json, const training::Confidence& confidence);
// "verdict", "also", "sentence", "verdict_ranks" and "verdict_confidence" of a job.
void WriteVerdict(JsonWriter& json, const training::Job& job,
                  const training::JobVerdictAnswer& answer);
void WriteEvidence(JsonWriter& json, std::span<const training::Evidence> evidence);
// "rank", "host", "gpu", "uuid".
void WritePlace(JsonWriter& json, const training::RankPlace& place);
// "currency": null if not given.
void WriteCurrency(JsonWriter& json, std::string_view currency);
// "job", "attempt", "from", "to": the start of every response.
void WriteHead(JsonWriter& json, const answers::Subject& subject);

// An array of Name(element).
template <typename Elements>
void WriteNames(JsonWriter& json, std::string_view key, const Elements& elements) {
  json.Key(key);
  json.BeginArray();
  for (const auto& element : elements) json.String(Name(element));
  json.EndArray();
}

// An array of objects; write_fields(element) adds the fields of each.
template <typename Elements, typename WriteFields>
void WriteObjects(JsonWriter& json, std::string_view key, const Elements& elements,
                  WriteFields write_fields) {
  json.Key(key);
  json.BeginArray();
  for (const auto& element : elements) {
    json.BeginObject();
    write_fields(element);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace lockstep::api
