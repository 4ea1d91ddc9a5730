#include "api/heat_map_json.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "api/training_json.h"
#include "api/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

constexpr size_t kMostBins = 5000;
// Of the four matrices each.
constexpr size_t kMostCells = 500'000;

void WriteMatrix(JsonWriter& json, std::string_view key, const training::RankMatrix& matrix) {
  json.Key(key);
  json.BeginArray();
  for (size_t row = 0; row < matrix.rows(); ++row) {
    json.BeginArray();
    for (const double value : matrix.Row(row)) WriteKnown(json, value);
    json.EndArray();
  }
  json.EndArray();
}

void WriteBins(JsonWriter& json, const std::vector<answers::PictureBin>& bins) {
  json.Key("bins");
  json.BeginArray();
  for (const answers::PictureBin& bin : bins) {
    json.BeginObject();
    WriteTimeRange(json, bin.time);
    WriteIntegerField(json, "first_step", bin.first_step);
    WriteIntegerField(json, "last_step", bin.last_step);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

absl::StatusOr<HeatMapQuestion> HeatMapQuestionOf(const Form& form) {
  HeatMapQuestion question;
  const std::string_view name = form.Get("metric");
  if (name.empty()) return absl::InvalidArgumentError("no metric parameter provided");
  const auto metric = answers::PictureMetricOf(name);
  if (!metric.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"metric\": \"%s\" is neither step_seconds, "
                        "own_seconds, lateness, loss, "
                        "grad_norm, memory_allocated_bytes, phase:NAME nor a device counter",
                        name));
  }
  question.metric = *metric;
  const std::string_view by = form.Get("by");
  if (!by.empty() && by != "step" && by != "time") {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"by\": \"%s\" is neither step nor time", by));
  }
  question.is_over_steps = by.empty() ? !metric->device.has_value() : by == "step";
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "bins", kMostBins, question.bins));
  return question;
}

void WriteHeatMap(JsonWriter& json, const answers::LoadedJob& job, const HeatMapQuestion& question,
                  const std::vector<std::string>& metrics) {
  const size_t bins = std::clamp<size_t>(kMostCells / job.job.ranks.size(), 1, question.bins);
  const answers::RankPicture picture = question.is_over_steps
                                           ? answers::PictureOverSteps(job, question.metric, bins)
                                           : answers::PictureOverTime(job, question.metric, bins);
  json.BeginObject();
  WriteHead(json, job);
  WriteTextField(json, "metric", question.metric.name);
  WriteTextField(json, "unit", question.metric.unit);
  WriteTextField(json, "by", question.is_over_steps ? "step" : "time");
  json.Key("ranks");
  json.BeginArray();
  for (const training::RankPlace& place : job.job.ranks) json.Number(place.rank);
  json.EndArray();
  WriteBins(json, picture.bins);
  WriteMatrix(json, "min", picture.lowest);
  WriteMatrix(json, "max", picture.highest);
  WriteMatrix(json, "last", picture.last);
  WriteMatrix(json, "mean", picture.mean);
  WriteTextsField(json, "metrics", metrics);
  json.EndObject();
}

}  // namespace lockstep::api
