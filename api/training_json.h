// What the answers about training jobs have in common as JSON: numbers that may not be known, times,
// evidence, ranks.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "answers/loaded_job.h"
#include "api/json_writer.h"
#include "training/confidence.h"
#include "training/evidence.h"
#include "training/job.h"
#include "training/job_verdict.h"
#include "training/rank_matrix.h"

namespace lockstep::api {

// null for what is not known.
void WriteKnown(JsonWriter& json, double value);
void WriteKnown(JsonWriter& json, std::optional<int64_t> value);
// Unix seconds.
void WriteTime(JsonWriter& json, int64_t time_ms);

void WriteTextField(JsonWriter& json, std::string_view key, std::string_view text);
void WriteNumberField(JsonWriter& json, std::string_view key, double value);
void WriteIntegerField(JsonWriter& json, std::string_view key, std::optional<int64_t> value);
void WriteFlagField(JsonWriter& json, std::string_view key, bool value);
void WriteNumbersField(JsonWriter& json, std::string_view key, std::span<const double> values);
void WriteTextsField(JsonWriter& json, std::string_view key, std::span<const std::string> texts);
void WriteTimeRange(JsonWriter& json, const training::TimeRange& time);  // "from", "to"
// "confidence": what an answer rests on.
void WriteConfidence(JsonWriter& json, const training::Confidence& confidence);
// "verdict", "also", "sentence", "verdict_ranks" and "verdict_confidence" of a job.
void WriteVerdict(JsonWriter& json, const training::Job& job,
                  const training::JobVerdictAnswer& answer);
void WriteEvidence(JsonWriter& json, std::span<const training::Evidence> evidence);
// "rank", "host", "gpu", "uuid".
void WritePlace(JsonWriter& json, const training::RankPlace& place);
// "job", "attempt", "from", "to": how every answer begins.
void WriteHead(JsonWriter& json, const answers::LoadedJob& job);

}  // namespace lockstep::api
