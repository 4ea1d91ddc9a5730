#include "cli/query.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/percent_encode.h"
#include "cli/table.h"

namespace lockstep::cli {
namespace {

using simdjson::dom::element;

// simdjson's checked calls turn into exceptions on demand; here is the one place that catches them.
using simdjson::simdjson_error;

std::string Text(const element& value) {
  if (value.is_string()) return std::string(std::string_view(value));
  return simdjson::minify(value);
}

struct Row {
  std::map<std::string, std::string> labels;
  std::string time;
  std::string value;
};

Row MakeRow(const element& metric, const element& sample) {
  Row row;
  for (const auto& [name, value] : metric.get_object()) row.labels.emplace(name, Text(value));
  row.time = Text(sample.at(0));
  row.value = Text(sample.at(1));
  return row;
}

// One row for each sample of a vector or matrix; floats only.
std::vector<Row> RowsOf(const element& result) {
  std::vector<Row> rows;
  for (const element series : result.get_array()) {
    const element metric = series["metric"];
    if (series["value"].error() == simdjson::SUCCESS) {
      rows.push_back(MakeRow(metric, series["value"]));
    }
    if (series["values"].error() != simdjson::SUCCESS) continue;
    for (const element sample : series["values"].get_array()) {
      rows.push_back(MakeRow(metric, sample));
    }
  }
  return rows;
}

Table TableOf(const std::vector<Row>& rows, bool with_times) {
  std::set<std::string> names;
  for (const Row& row : rows) {
    for (const auto& [name, value] : row.labels) names.insert(name);
  }
  Table table;
  table.header.assign(names.begin(), names.end());
  if (with_times) table.header.push_back("time");
  table.header.push_back("value");
  for (const Row& row : rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const std::string& name : names) {
      const auto at = row.labels.find(name);
      cells.push_back(at == row.labels.end() ? "" : at->second);
    }
    if (with_times) cells.push_back(row.time);
    cells.push_back(row.value);
  }
  return table;
}

absl::StatusOr<std::string> ReadAnswer(std::string_view json) {
  simdjson::dom::parser parser;
  const element answer = parser.parse(json.data(), json.size());
  if (std::string_view(answer["status"]) != "success") {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: %s", Text(answer["errorType"]), Text(answer["error"])));
  }
  const element data = answer["data"];
  const std::string type = Text(data["resultType"]);
  const element result = data["result"];
  if (type == "scalar" || type == "string") return Text(result.at(1)) + "\n";
  const std::vector<Row> rows = RowsOf(result);
  if (rows.empty()) return std::string("(no result)\n");
  return ToText(TableOf(rows, type == "matrix"));
}

}  // namespace

absl::StatusOr<std::string> AnswerText(std::string_view json) {
  try {
    return ReadAnswer(json);
  } catch (const simdjson_error& error) {
    return absl::DataLossError(
        absl::StrFormat("the answer is not one of the query API: %s", error.what()));
  }
}

ExitCode Query(const QueryFlags& flags) {
  const auto failed = [](const absl::Status& status) {
    std::fprintf(stderr, "lockstep: %s\n", std::string(Message(status)).c_str());
    return kFailure;
  };
  absl::StatusOr<std::unique_ptr<HttpClient>> client = HttpClient::Make(flags.server);
  if (!client.ok()) return failed(client.status());
  std::string form = "query=" + PercentEncode(flags.expression);
  if (!flags.time.empty()) form += "&time=" + PercentEncode(flags.time);
  const absl::StatusOr<HttpReply> reply =
      (*client)->Post("/api/v1/query", {"Content-Type: application/x-www-form-urlencoded"}, form);
  if (!reply.ok()) return failed(reply.status());
  const absl::StatusOr<std::string> text = AnswerText(reply->body);
  if (!text.ok()) {
    return failed(Annotate(text.status(), absl::StrFormat("HTTP %d", reply->status)));
  }
  std::fputs(text->c_str(), stdout);
  return kSuccess;
}

}  // namespace lockstep::cli
