#include "api/heat_map_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_format.h"
#include "answers/link_picture.h"
#include "api/training_json.h"
#include "api/training_params.h"
#include "base/check.h"
#include "base/status.h"
#include "training/row_groups.h"

namespace lockstep::api {
namespace {

constexpr size_t kMostBins = 5000;
constexpr size_t kMostRows = 100'000;
// Of the four matrices each: in the answer, and before ranks share rows.
constexpr size_t kMostCells = 500'000;
constexpr size_t kMostCellsOfRanks = 4'000'000;
// A picture shows fewer, and a thousand ranks would be megabytes of the others.
constexpr int kSignificantDigits = 5;

void WriteShortly(JsonWriter& json, double value) {
  if (!std::isfinite(value)) return WriteKnown(json, value);
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::general, kSignificantDigits);
  LOCKSTEP_CHECK(error == std::errc());
  json.Raw().append(text.data(), end);
}

void WriteMatrix(JsonWriter& json, std::string_view key, const training::RankMatrix& matrix) {
  json.Key(key);
  json.BeginArray();
  for (size_t row = 0; row < matrix.rows(); ++row) {
    json.BeginArray();
    for (const double value : matrix.Row(row)) WriteShortly(json, value);
    json.EndArray();
  }
  json.EndArray();
}

// Those that are not wanted are empty.
void WriteCells(JsonWriter& json, const training::PictureCells& cells, std::string_view only) {
  const training::RankMatrix none;
  const auto write = [&](std::string_view key, const training::RankMatrix& matrix) {
    WriteMatrix(json, key, only.empty() || only == key ? matrix : none);
  };
  write("min", cells.lowest);
  write("max", cells.highest);
  write("last", cells.last);
  write("mean", cells.mean);
}

void WriteRows(JsonWriter& json, const answers::LoadedJob& job, const training::RowGroups& groups) {
  const std::vector<size_t>& first = groups.first_row;
  const std::vector<training::RankPlace>& ranks = job.job.ranks;
  json.Key("rows");
  json.BeginArray();
  for (size_t group = 0; group < first.size(); ++group) {
    const size_t end = group + 1 < first.size() ? first[group + 1] : ranks.size();
    json.BeginObject();
    WriteIntegerField(json, "first_rank", ranks[first[group]].rank);
    WriteIntegerField(json, "last_rank", ranks[end - 1].rank);
    json.EndObject();
  }
  json.EndArray();
}

void WriteRows(JsonWriter& json, const std::vector<answers::LinkRow>& rows) {
  json.Key("rows");
  json.BeginArray();
  for (const answers::LinkRow& row : rows) {
    json.BeginObject();
    WriteIntegerField(json, "first_rank", row.first_rank);
    WriteIntegerField(json, "last_rank", row.last_rank);
    WriteTextField(json, "host", row.host);
    WriteTextField(json, "device", row.device);
    json.EndObject();
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

void WriteRanks(JsonWriter& json, const answers::LoadedJob& job, const HeatMapQuestion& question) {
  const size_t ranks = job.job.ranks.size();
  const size_t rows = std::min(question.rows, ranks);
  const size_t most_bins = std::min(kMostCells / rows, kMostCellsOfRanks / ranks);
  const size_t bins = std::clamp<size_t>(most_bins, 1, question.bins);
  const answers::RankPicture picture = question.is_over_steps
                                           ? answers::PictureOverSteps(job, question.metric, bins)
                                           : answers::PictureOverTime(job, question.metric, bins);
  WriteBins(json, picture.bins);
  const training::RowGroups groups = training::GroupRows(picture.cells, rows);
  WriteRows(json, job, groups);
  WriteCells(json, groups.cells, question.only);
  WriteMatrix(json, "furthest", rows < ranks ? groups.furthest : training::RankMatrix());
}

// Interfaces do not share rows.
void WriteLinks(JsonWriter& json, const answers::LoadedJob& job, const HeatMapQuestion& question) {
  const size_t most_bins = kMostCells / std::max<size_t>(1, job.links.size());
  const size_t bins = std::clamp<size_t>(most_bins, 1, question.bins);
  const answers::LinkPicture picture = answers::LinkPictureOf(job, *question.metric.link, bins);
  WriteBins(json, picture.bins);
  WriteRows(json, picture.rows);
  WriteCells(json, picture.cells, question.only);
  WriteMatrix(json, "furthest", {});
}

}  // namespace

absl::StatusOr<HeatMapQuestion> HeatMapQuestionOf(const Form& form) {
  HeatMapQuestion question;
  const std::string_view name = form.Get("metric");
  if (name.empty()) return absl::InvalidArgumentError("no metric parameter provided");
  const auto metric = answers::PictureMetricOf(name);
  if (!metric.has_value()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"metric\": \"%s\" is neither step_seconds, "
        "own_seconds, lateness, loss, "
        "grad_norm, memory_allocated_bytes, phase:NAME, nic_received_bytes_per_second, "
        "nic_sent_bytes_per_second nor a device counter",
        name));
  }
  question.metric = *metric;
  const std::string_view by = form.Get("by");
  if (!by.empty() && by != "step" && by != "time") {
    return absl::InvalidArgumentError(
        absl::StrFormat("invalid parameter \"by\": \"%s\" is neither step nor time", by));
  }
  if (metric->link.has_value() && by == "step") {
    return absl::InvalidArgumentError(
        "invalid parameter \"by\": interfaces of hosts are counted over time, not by step");
  }
  const bool is_of_time = metric->device.has_value() || metric->link.has_value();
  question.is_over_steps = by.empty() ? !is_of_time : by == "step";
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "bins", kMostBins, question.bins));
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "rows", kMostRows, question.rows));
  question.only = form.Get("only");
  constexpr std::array<std::string_view, 5> kGrids = {"", "min", "max", "last", "mean"};
  if (std::ranges::find(kGrids, question.only) == kGrids.end()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "invalid parameter \"only\": \"%s\" is neither min, max, last nor mean", question.only));
  }
  return question;
}

void WriteHeatMap(JsonWriter& json, const answers::LoadedJob& job, const HeatMapQuestion& question,
                  const std::vector<std::string>& metrics) {
  json.BeginObject();
  WriteHead(json, job);
  WriteTextField(json, "metric", question.metric.name);
  WriteTextField(json, "unit", question.metric.unit);
  WriteTextField(json, "by", question.is_over_steps ? "step" : "time");
  json.Key("ranks");
  json.BeginArray();
  for (const training::RankPlace& place : job.job.ranks) json.Number(place.rank);
  json.EndArray();
  if (question.metric.link.has_value()) {
    WriteLinks(json, job, question);
  } else {
    WriteRanks(json, job, question);
  }
  WriteTextsField(json, "metrics", metrics);
  json.EndObject();
}

}  // namespace lockstep::api
