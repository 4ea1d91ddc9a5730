#include "cli/rules/rule_backfill.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "ingest/remote_write/remote_write_encoder.h"
#include "query/promql/parser/parser.h"
#include "rules/config/rule_file.h"

namespace lockstep::cli {
namespace {

using simdjson::dom::element;
// simdjson's checked calls throw on conversion; AnswerSeries() catches the exceptions.
using simdjson::simdjson_error;

// Steps per query: below the API's limit of points, and few enough for one write.
constexpr int64_t kStepsOfQuery = 500;
// Series per write.
constexpr size_t kSeriesOfWrite = 2'000;

struct BackfillRange {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};

absl::StatusOr<int64_t> SecondsToMs(const std::string& name, const std::string& text) {
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds) && seconds >= 0 && seconds < 1e11) {
    return static_cast<int64_t>(seconds * 1e3);
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("--%s: \"%s\" is not a time in Unix seconds", name, text));
}

// The series of one rule, with the labels that the server returned.
std::vector<SeriesWrite> ReadSeries(const element& result, const rules::Rule& rule) {
  std::vector<SeriesWrite> series;
  for (const element item : result.get_array()) {
    LabelSetBuilder labels;
    for (const auto& [name, value] : item["metric"].get_object()) {
      labels.Set(name, std::string_view(value));
    }
    labels.Set(kMetricName, rule.name);
    for (const auto& [name, value] : rule.labels) labels.Set(name, value);
    SeriesWrite& write = series.emplace_back();
    write.labels = labels.Build();
    for (const element point : item["values"].get_array()) {
      double value = 0;
      const std::string text(std::string_view(point.at(1)));
      if (!absl::SimpleAtod(text, &value)) continue;
      write.samples.push_back({static_cast<int64_t>(double(point.at(0)) * 1e3 + 0.5), value});
    }
  }
  return series;
}

absl::StatusOr<std::vector<SeriesWrite>> AnswerSeries(const HttpReply& reply,
                                                      const rules::Rule& rule) {
  try {
    simdjson::dom::parser parser;
    const element answer = parser.parse(reply.body);
    std::string_view error;
    if (answer["error"].get(error) == simdjson::SUCCESS) {
      return absl::FailedPreconditionError(std::string(error));
    }
    const element result = answer["data"]["result"];
    for (const element item : result.get_array()) {
      if (item["histograms"].error() == simdjson::SUCCESS) {
        return absl::UnimplementedError("backfilling native histograms is not supported");
      }
    }
    return ReadSeries(result, rule);
  } catch (const simdjson_error& error) {
    return absl::DataLossError(
        absl::StrFormat("the response is not a valid query API response: %s", error.what()));
  }
}

absl::Status WriteSeries(HttpClient& client, std::vector<SeriesWrite> series) {
  for (size_t i = 0; i < series.size(); i += kSeriesOfWrite) {
    const size_t end = std::min(series.size(), i + kSeriesOfWrite);
    WriteRequest request;
    request.series.assign(series.begin() + static_cast<ptrdiff_t>(i),
                          series.begin() + static_cast<ptrdiff_t>(end));
    LOCKSTEP_ASSIGN_OR_RETURN(
        const HttpReply reply,
        client.Post("/api/v1/write",
                    {"Content-Type: application/x-protobuf", "Content-Encoding: identity"},
                    EncodeRemoteWrite(request)));
    if (reply.status / 100 != 2) {
      return absl::UnavailableError(
          absl::StrFormat("the server answered the write with HTTP %d: %s", reply.status,
                          reply.body.substr(0, 500)));
    }
  }
  return absl::OkStatus();
}

// Returns the number of samples written.
absl::StatusOr<uint64_t> BackfillRule(HttpClient& client, const rules::RuleGroup& group,
                                      const rules::Rule& rule, const BackfillRange& range) {
  const int64_t step_ms = group.interval.count();
  uint64_t count = 0;
  // Evaluation times are multiples of the interval.
  const int64_t first_ms = (range.start_ms + step_ms - 1) / step_ms * step_ms;
  for (int64_t at_ms = first_ms; at_ms <= range.end_ms; at_ms += kStepsOfQuery * step_ms) {
    const int64_t end_ms = std::min(range.end_ms, at_ms + (kStepsOfQuery - 1) * step_ms);
    const std::string form =
        absl::StrFormat("query=%s&start=%.3f&end=%.3f&step=%.3f", PercentEncode(rule.expression),
                        static_cast<double>(at_ms) / 1e3, static_cast<double>(end_ms) / 1e3,
                        static_cast<double>(step_ms) / 1e3);
    LOCKSTEP_ASSIGN_OR_RETURN(
        const HttpReply reply,
        client.Post("/api/v1/query_range", {"Content-Type: application/x-www-form-urlencoded"},
                    form));
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<SeriesWrite> series, AnswerSeries(reply, rule));
    for (const SeriesWrite& one : series) count += one.samples.size();
    LOCKSTEP_RETURN_IF_ERROR(WriteSeries(client, std::move(series)));
  }
  return count;
}

absl::Status BackfillFile(HttpClient& client, const std::string& path,
                          const rules::GroupDefaults& defaults, const BackfillRange& range) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<rules::RuleGroup> groups,
                            rules::ReadRuleFile(path, defaults));
  for (const rules::RuleGroup& group : groups) {
    for (const rules::Rule& rule : group.rules) {
      if (rule.kind != rules::RuleKind::kRecording) continue;
      const absl::StatusOr<uint64_t> count = BackfillRule(client, group, rule, range);
      if (!count.ok()) {
        return Annotate(count.status(), absl::StrFormat("%s, rule %s", path, rule.name));
      }
      std::printf("%s: %s: %llu samples\n", path.c_str(), rule.name.c_str(),
                  static_cast<unsigned long long>(*count));
    }
  }
  return absl::OkStatus();
}

absl::Status Backfill(const BackfillFlags& flags) {
  BackfillRange range;
  LOCKSTEP_ASSIGN_OR_RETURN(range.start_ms, SecondsToMs("start", flags.start));
  LOCKSTEP_ASSIGN_OR_RETURN(range.end_ms, SecondsToMs("end", flags.end));
  rules::GroupDefaults defaults;
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t interval_ms,
                            promql::ParseDurationMs(flags.evaluation_interval));
  if (range.end_ms < range.start_ms || interval_ms <= 0) {
    return absl::InvalidArgumentError("the end is before the start, or the interval is zero");
  }
  defaults.interval = std::chrono::milliseconds(interval_ms);
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client,
                            HttpClient::Make(flags.server));
  for (const std::string& path : flags.files) {
    LOCKSTEP_RETURN_IF_ERROR(BackfillFile(*client, path, defaults, range));
  }
  return absl::OkStatus();
}

}  // namespace

ExitCode BackfillRules(const BackfillFlags& flags) {
  const absl::Status status = Backfill(flags);
  if (status.ok()) return kSuccess;
  std::fprintf(stderr, "lockstep: %s\n", std::string(Message(status)).c_str());
  return absl::IsInvalidArgument(status) ? kUsage : kFailure;
}

}  // namespace lockstep::cli
