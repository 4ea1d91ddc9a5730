#include "api/training/heat_map_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "absl/strings/str_format.h"
#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/check.h"
#include "base/status.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::api {
namespace {

using answers::PictureValue;

constexpr size_t kMostBins = 5000;
constexpr size_t kMostRows = 100'000;
// Pictures show fewer digits, and more would add megabytes with a thousand ranks.
constexpr int kShownDigits = 5;
constexpr int kDigitsOfCount = 15;

void WriteNumber(JsonWriter& json, double value, int digits) {
  if (!std::isfinite(value)) return json.Null();
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::general, digits);
  LOCKSTEP_CHECK(error == std::errc());
  json.Raw().append(text.data(), end);
}

void WriteMatrix(JsonWriter& json, std::string_view key, const training::RankMatrix& matrix,
                 int digits = kShownDigits) {
  json.Key(key);
  json.BeginArray();
  for (size_t row = 0; row < matrix.rows(); ++row) {
    json.BeginArray();
    for (const double value : matrix.Row(row)) WriteNumber(json, value, digits);
    json.EndArray();
  }
  json.EndArray();
}

void WriteRows(JsonWriter& json, const answers::JobHeatMap& map) {
  WriteObjects(json, "rows", map.rows, [&](const answers::PictureRow& row) {
    json.Field("first_rank", row.first_rank);
    json.Field("last_rank", row.last_rank);
    if (!map.metric.link.has_value()) return;
    json.Field("host", row.host);
    json.Field("device", row.device);
  });
}

// The parameter `only`; empty if it is absent.
absl::StatusOr<std::optional<PictureValue>> ValueOf(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name == "min") return PictureValue::kLowest;
  if (name == "max") return PictureValue::kHighest;
  if (name == "last") return PictureValue::kLast;
  if (name == "mean") return PictureValue::kMean;
  if (name == "count") return PictureValue::kCount;
  return absl::InvalidArgumentError(absl::StrFormat(
      "invalid parameter \"only\": \"%s\" is not one of min, max, last, mean, count", name));
}

}  // namespace

absl::StatusOr<answers::HeatMapQuestion> HeatMapQuestionOf(const Form& form) {
  answers::HeatMapQuestion question;
  const std::string_view name = form.Get("metric");
  if (name.empty()) return absl::InvalidArgumentError("no metric parameter provided");
  const auto metric = answers::PictureMetricOf(name);
  if (!metric.has_value()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"metric\": \"%s\" is not one of step_seconds, own_seconds, lateness, "
        "loss, grad_norm, memory_allocated_bytes, phase:NAME, nic_received_bytes_per_second, "
        "nic_sent_bytes_per_second, or a device counter",
        name));
  }
  question.metric = *metric;
  const std::string_view by = form.Get("by");
  if (!by.empty() && by != "step" && by != "time") {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"by\": \"%s\" is not one of step, time", by));
  }
  if (metric->link.has_value() && by == "step") {
    return absl::InvalidArgumentError(
        "invalid parameter \"by\": host interfaces are only available by time, not by step");
  }
  const bool is_of_time = metric->device.has_value() || metric->link.has_value();
  question.is_over_steps = by.empty() ? !is_of_time : by == "step";
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "bins", kMostBins, question.bins));
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "rows", kMostRows, question.rows));
  LOCKSTEP_ASSIGN_OR_RETURN(question.only, ValueOf(form.Get("only")));
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  return question;
}

void WriteHeatMap(JsonWriter& json, const answers::JobHeatMap& map) {
  json.BeginObject();
  WriteHead(json, map.subject);
  json.Field("metric", map.metric.name);
  json.Field("unit", map.metric.unit);
  json.Field("by", map.is_over_steps ? "step" : "time");
  json.Key("ranks");
  json.BeginArray();
  for (const training::RankPlace& place : map.subject.job.ranks) json.Number(place.rank);
  json.EndArray();
  WriteObjects(json, "bins", map.bins, [&](const answers::PictureBin& bin) {
    WriteTimeRange(json, bin.time);
    json.Field("first_step", bin.first_step);
    json.Field("last_step", bin.last_step);
  });
  WriteRows(json, map);
  WriteMatrix(json, "min", map.cells.lowest);
  WriteMatrix(json, "max", map.cells.highest);
  WriteMatrix(json, "last", map.cells.last);
  WriteMatrix(json, "mean", map.cells.mean);
  WriteMatrix(json, "count", map.cells.count, kDigitsOfCount);
  WriteMatrix(json, "furthest", map.furthest);
  json.Field("metrics", map.metrics);
  json.EndObject();
}

}  // namespace lockstep::api
