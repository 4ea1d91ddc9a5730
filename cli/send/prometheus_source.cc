#include "cli/send/prometheus_source.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "ingest/exposition/text_entry.h"
#include "query/promql/parser/parser.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kLowestTime = "prometheus_tsdb_lowest_timestamp";

absl::StatusOr<int64_t> TimeOfFlag(std::string_view flag, std::string_view text) {
  auto time_ms = api::ParseTimeMs(text);
  if (!time_ms.ok()) return Annotate(time_ms.status(), absl::StrFormat("--%s", flag));
  return time_ms;
}

absl::StatusOr<int64_t> OldestTimeMs(HttpClient& client) {
  LOCKSTEP_ASSIGN_OR_RETURN(const HttpReply reply, client.Get("/metrics"));
  if (reply.status == 200) return LowestTimeMs(reply.body);
  return absl::InvalidArgumentError(absl::StrFormat(
      "cannot find the time of the source's oldest sample (HTTP %d from /metrics); set --start",
      reply.status));
}

}  // namespace

absl::StatusOr<int64_t> LowestTimeMs(std::string_view metrics) {
  while (!metrics.empty()) {
    const size_t end = std::min(metrics.find('\n'), metrics.size());
    std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    const auto entry = exposition::TakeEntry(line, exposition::TextFormat::kPrometheus);
    if (entry.ok() && entry->series == kLowestTime) return static_cast<int64_t>(entry->value);
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("the source's /metrics has no %s; set --start", kLowestTime));
}

absl::StatusOr<importer::PrometheusSource> MakeSource(const PrometheusFlags& flags,
                                                      HttpClient& client, int64_t now_ms) {
  importer::PrometheusSource source;
  source.url = flags.url;
  std::vector<std::string> selectors = flags.selectors;
  if (selectors.empty()) selectors.push_back("{__name__!=\"\"}");
  for (const std::string& selector : selectors) {
    auto matchers = promql::ParseMetricSelector(selector);
    if (!matchers.ok()) return Annotate(matchers.status(), "--match: " + selector);
    source.selectors.push_back(*std::move(matchers));
  }
  source.range.max_ms = now_ms;
  if (!flags.end.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(source.range.max_ms, TimeOfFlag("end", flags.end));
  }
  if (flags.start.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(source.range.min_ms, OldestTimeMs(client));
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(source.range.min_ms, TimeOfFlag("start", flags.start));
  }
  return source;
}

}  // namespace lockstep::cli
