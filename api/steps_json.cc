#include "api/steps_json.h"

#include <algorithm>
#include <optional>

#include "api/training_json.h"
#include "training/heat_map.h"

namespace lockstep::api {
namespace {

// Columns to show, evenly spread; the last one is always among them.
std::vector<size_t> ColumnsToShow(size_t count, size_t points) {
  std::vector<size_t> columns;
  const size_t shown = std::min(count, points);
  for (size_t i = 1; i <= shown; ++i) columns.push_back(i * count / shown - 1);
  return columns;
}

void WriteShown(JsonWriter& json, std::string_view key, const std::vector<size_t>& columns,
                const std::vector<double>& values) {
  json.Key(key);
  json.BeginArray();
  for (const size_t n : columns)
    WriteKnown(json, n < values.size() ? values[n] : training::kUnknown);
  json.EndArray();
}

void WriteAttempt(JsonWriter& json, const answers::LoadedJob& job, size_t points) {
  const training::StepTable& table = job.steps;
  const training::Pacing pacing = training::PacingOf(table);
  const std::vector<size_t> columns = ColumnsToShow(table.size(), points);
  json.BeginObject();
  json.Key("attempt");
  json.Number(job.attempt);
  const bool has_steps = table.size() > 0;
  WriteIntegerField(json, "first_step",
                    has_steps ? std::optional(table.step.front()) : std::nullopt);
  WriteIntegerField(json, "last_step", has_steps ? std::optional(table.step.back()) : std::nullopt);
  json.Key("step");
  json.BeginArray();
  for (const size_t n : columns) json.Number(table.step[n]);
  json.EndArray();
  json.Key("end");
  json.BeginArray();
  for (const size_t n : columns) WriteTime(json, table.end_ms[n]);
  json.EndArray();
  WriteShown(json, "step_seconds", columns, pacing.step_seconds);
  WriteShown(json, "behind_seconds", columns, pacing.behind_seconds);
  json.Key("pacing");
  json.BeginObject();
  WriteNumberField(json, "median_seconds", pacing.median_seconds);
  WriteNumberField(json, "spread_seconds", pacing.spread_seconds);
  json.EndObject();
  json.EndObject();
}

}  // namespace

void WriteSteps(JsonWriter& json, const std::vector<answers::LoadedJob>& attempts, size_t points) {
  json.BeginObject();
  WriteTextField(json, "job", attempts.back().job.name);
  WriteTimeRange(json, {attempts.front().time.from_ms, attempts.back().time.to_ms});
  json.Key("attempts");
  json.BeginArray();
  for (const answers::LoadedJob& job : attempts) WriteAttempt(json, job, points);
  json.EndArray();
  json.EndObject();
}

}  // namespace lockstep::api
