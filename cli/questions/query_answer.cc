#include "cli/questions/query_answer.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "cli/client/ask.h"
#include "cli/terminal/table.h"

namespace lockstep::cli {
namespace {

using simdjson::dom::element;

// simdjson's checked calls throw on conversion; Read() catches the exceptions.
using simdjson::simdjson_error;

// The maximum width of a curve.
constexpr size_t kWidestCurve = 60;

using Labels = std::map<std::string, std::string>;

std::string Text(const element& value) {
  if (value.is_string()) return std::string(std::string_view(value));
  return simdjson::minify(value);
}

struct Sample {
  double time_s = 0;
  std::string time;
  std::string value;
};

struct AnsweredSeries {
  Labels labels;
  std::vector<Sample> samples;
};

struct QueryAnswer {
  std::string type;
  std::string text;                    // for a scalar or a string
  std::vector<AnsweredSeries> series;  // for a vector or a matrix; floats only
};

Sample SampleOf(const element& pair) {
  return {double(pair.at(0)), Text(pair.at(0)), Text(pair.at(1))};
}

AnsweredSeries SeriesOf(const element& item) {
  AnsweredSeries series;
  for (const auto& [name, value] : item["metric"].get_object()) {
    series.labels.emplace(name, Text(value));
  }
  if (item["value"].error() == simdjson::SUCCESS) series.samples.push_back(SampleOf(item["value"]));
  if (item["values"].error() != simdjson::SUCCESS) return series;
  for (const element pair : item["values"].get_array()) series.samples.push_back(SampleOf(pair));
  return series;
}

QueryAnswer AnswerOf(element data) {
  QueryAnswer answer;
  answer.type = Text(data["resultType"]);
  const element result = data["result"];
  if (answer.type == "scalar" || answer.type == "string") {
    answer.text = Text(result.at(1));
    return answer;
  }
  for (const element item : result.get_array()) answer.series.push_back(SeriesOf(item));
  std::erase_if(answer.series, [](const AnsweredSeries& each) { return each.samples.empty(); });
  return answer;
}

absl::StatusOr<QueryAnswer> Read(std::string_view json) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer answer, Answer::Parse(json));
  try {
    return AnswerOf(answer.data());
  } catch (const simdjson_error& error) {
    return absl::DataLossError(
        absl::StrFormat("the response is not a valid query API response: %s", error.what()));
  }
}

std::vector<std::string> LabelNames(const QueryAnswer& answer) {
  std::set<std::string> names;
  for (const AnsweredSeries& series : answer.series) {
    for (const auto& [name, value] : series.labels) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> LabelCells(const Labels& labels, const std::vector<std::string>& names) {
  std::vector<std::string> cells;
  for (const std::string& name : names) {
    const auto at = labels.find(name);
    cells.push_back(at == labels.end() ? "" : at->second);
  }
  return cells;
}

Table TableOf(const QueryAnswer& answer) {
  const std::vector<std::string> names = LabelNames(answer);
  const bool with_times = answer.type == "matrix";
  Table table{names, {}};
  if (with_times) table.header.push_back("time");
  table.header.push_back("value");
  for (const AnsweredSeries& series : answer.series) {
    for (const Sample& sample : series.samples) {
      std::vector<std::string>& cells = table.rows.emplace_back(LabelCells(series.labels, names));
      if (with_times) cells.push_back(sample.time);
      cells.push_back(sample.value);
    }
  }
  return table;
}

// One value per step of the grid; NaN where there is no sample.
std::vector<double> ValuesOf(const AnsweredSeries& series, const TimeGrid& grid) {
  const auto steps = static_cast<size_t>((grid.end_ms - grid.start_ms) / grid.step_ms + 1);
  std::vector<double> values(steps, NAN);
  for (const Sample& sample : series.samples) {
    const int64_t behind_ms = std::llround(sample.time_s * 1e3) - grid.start_ms;
    const auto step = static_cast<size_t>(std::max<int64_t>(behind_ms, 0) / grid.step_ms);
    double value = 0;
    if (step < steps && absl::SimpleAtod(sample.value, &value)) values[step] = value;
  }
  return values;
}

std::string NumberText(double number) { return absl::StrFormat("%.6g", number); }

Table CurvesOf(const QueryAnswer& answer, const TimeGrid& grid, Glyphs glyphs) {
  const std::vector<std::string> names = LabelNames(answer);
  Table table{names, {}};
  for (const char* heading : {"lowest", "highest", "last", "curve"})
    table.header.push_back(heading);
  for (const AnsweredSeries& series : answer.series) {
    const std::vector<double> values = Condense(ValuesOf(series, grid), kWidestCurve);
    const SparkScale scale = ScaleOf(values);
    std::vector<std::string>& cells = table.rows.emplace_back(LabelCells(series.labels, names));
    cells.push_back(NumberText(scale.low));
    cells.push_back(NumberText(scale.high));
    cells.push_back(series.samples.back().value);
    cells.push_back(Sparkline(values, scale, glyphs));
  }
  return table;
}

}  // namespace

absl::StatusOr<std::string> AnswerText(std::string_view json) {
  LOCKSTEP_ASSIGN_OR_RETURN(const QueryAnswer answer, Read(json));
  if (answer.type == "scalar" || answer.type == "string") return answer.text + "\n";
  if (answer.series.empty()) return std::string(kNoResult);
  return ToText(TableOf(answer));
}

absl::StatusOr<std::string> AnswerCsv(std::string_view json) {
  LOCKSTEP_ASSIGN_OR_RETURN(const QueryAnswer answer, Read(json));
  const bool is_single = answer.type == "scalar" || answer.type == "string";
  return ToCsv(is_single ? Table{{"value"}, {{answer.text}}} : TableOf(answer));
}

absl::StatusOr<std::string> CurvesText(std::string_view json, const TimeGrid& grid, Glyphs glyphs) {
  LOCKSTEP_ASSIGN_OR_RETURN(const QueryAnswer answer, Read(json));
  if (answer.series.empty()) return std::string(kNoResult);
  return ToText(CurvesOf(answer, grid, glyphs));
}

}  // namespace lockstep::cli
