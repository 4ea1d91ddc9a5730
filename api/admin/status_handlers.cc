#include "api/admin/status_handlers.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/derived/derived_metrics.h"
#include "api/admin/count_rows.h"
#include "api/admin/openapi_document.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "base/status.h"
#include "base/utc_text.h"
#include "model/matcher.h"

namespace lockstep::api {
namespace {

// The Prometheus version whose API this is; clients use it to decide which features they can use.
constexpr std::string_view kPrometheusVersion = "3.14.0";

void WriteHeadStats(JsonWriter& json, const StorageStats& stats, uint64_t series_count) {
  json.Key("headStats");
  json.BeginObject();
  json.Field("numSeries", series_count);
  json.Field("numLabelPairs", stats.label_pair_count);
  json.Field("chunkCount", stats.sealed_chunks);
  json.Field("minTime", stats.min_time_ms);
  json.Field("maxTime", stats.max_time_ms);
  json.EndObject();
}

// Specific to lockstep.
void WriteClock(JsonWriter& json, const StorageStats& stats) {
  json.Key("clock");
  json.BeginObject();
  json.Field("isTrusted", stats.clock_is_trusted);
  json.Field("offsetSeconds", stats.clock_offset_seconds);
  json.EndObject();
}

void WriteMetric(JsonWriter& json, const MetadataStore::Metric& metric) {
  json.LabelKey(metric.name);
  json.BeginArray();
  for (const MetricMetadata& metadata : metric.variants) {
    json.BeginObject();
    json.Field("type", metadata.type);
    json.Field("help", metadata.help);
    json.Field("unit", metadata.unit);
    json.EndObject();
  }
  json.EndArray();
}

// An optional count; a negative number counts as missing.
absl::StatusOr<size_t> OptionalCount(const Form& form, std::string_view name) {
  const std::string_view text = form.Get(name);
  if (text.empty()) return kNoLimit;
  const auto count = ParseInteger(text);
  if (!count.ok()) {
    return absl::InvalidArgumentError(absl::StrFormat("%s must be a number", name));
  }
  return *count < 0 ? kNoLimit : static_cast<size_t>(*count);
}

}  // namespace

Response HandleHealthy() { return TextReply(200, "lockstep is healthy."); }

Response HandleReady(bool accepts_writes) {
  if (accepts_writes) return TextReply(200, "lockstep is ready.");
  return NotReadyReply("the store rejects writes; see the log for the reason");
}

Response HandleBuildInfo(const ServerInfo& info) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("version", kPrometheusVersion);
    json.Field("revision", info.revision);
    json.Field("branch", absl::StrFormat("lockstep-%s", info.version));
    json.Field("buildUser", "");
    json.Field("buildDate", info.build_date);
    json.Field("goVersion", info.compiler);
    json.EndObject();
  });
}

Response HandleRuntimeInfo(const ServerInfo& info, const ConfigState& config, int64_t now_ms) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("startTime", Rfc3339Text(info.start_time_ms));
    json.Field("CWD", info.working_folder);
    json.Field("hostname", info.hostname);
    json.Field("serverTime", Rfc3339Text(now_ms));
    json.Field("reloadConfigSuccess", config.last_read_succeeded);
    json.Field("lastConfigTime", Rfc3339Text(config.time_ms));
    json.Field("corruptionCount", 0);
    json.Field("goroutineCount", 0);
    json.Field("GOMAXPROCS", std::thread::hardware_concurrency());
    json.Field("GOMEMLIMIT", 0);
    json.Field("GOGC", "");
    json.Field("GODEBUG", "");
    json.Field("storageRetention", info.retention);
    json.EndObject();
  });
}

Response HandleFlags(const ServerInfo& info) {
  auto flags = info.flags;
  std::sort(flags.begin(), flags.end());
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    for (const auto& [name, value] : flags) {
      json.LabelKey(name);
      json.String(value);
    }
    json.EndObject();
  });
}

Response HandleConfig(const ConfigState& config) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Field("yaml", config.yaml);
    json.EndObject();
  });
}

Response HandleOpenApi() {
  Response response;
  response.content_type = "application/yaml; charset=utf-8";
  response.headers.push_back({"Cache-Control", "no-cache, no-store, must-revalidate"});
  response.body = OpenApiDocument();
  return response;
}

Response HandleBlocks() {
  return SuccessReply([](JsonWriter& json) {
    json.BeginObject();
    json.Key("blocks");
    json.BeginArray();
    json.EndArray();
    json.EndObject();
  });
}

Response HandleWalReplay() {
  return SuccessReply([](JsonWriter& json) {
    json.BeginObject();
    for (const std::string_view key : {"min", "max", "current"}) {
      json.Field(key, 0);
    }
    json.EndObject();
  });
}

Response HandleTsdb(const Call& call, const Storage& storage) {
  constexpr size_t kDefaultLimit = 10;
  constexpr int64_t kMaxLimit = 10'000;
  size_t limit = kDefaultLimit;
  if (const std::string_view text = call.form.Get("limit"); !text.empty()) {
    const auto parsed = ParseInteger(text);
    if (!parsed.ok() || *parsed < 1) {
      return ErrorReply(ErrorType::kBadData, "limit must be a positive number");
    }
    limit = static_cast<size_t>(std::min(*parsed, kMaxLimit));
  }
  const auto cardinality = storage.Cardinality({.limit = limit});
  if (!cardinality.ok()) return FailureReply(cardinality.status());
  const StorageStats stats = storage.stats();
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    WriteHeadStats(json, stats, cardinality->series_count);
    WriteClock(json, stats);
    WriteCounts(json, "seriesCountByMetricName", cardinality->series_by_metric_name);
    WriteCounts(json, "labelValueCountByLabelName", cardinality->values_by_label_name);
    WriteCounts(json, "memoryInBytesByLabelName", cardinality->bytes_by_label_name);
    WriteCounts(json, "seriesCountByLabelValuePair", cardinality->series_by_label_pair);
    json.EndObject();
  });
}

// Names of metrics with a job label, including derived ones.
absl::StatusOr<std::vector<std::string>> NamesOfJobs(const Storage& storage, QueryBudget& budget) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, storage.NewQuerier());
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher has_job, Matcher::Make(MatchType::kNotEqual, "job", ""));
  const std::vector<Matcher> matchers = {std::move(has_job)};
  return querier->LabelValues(kMetricName, {matchers, kAllTimes, &budget});
}

// Adds metadata of derived metrics, which nobody sent.
void AddDerived(std::string_view metric, size_t limit, const std::vector<std::string>& names,
                std::vector<MetadataStore::Metric>& metrics) {
  for (const answers::DerivedMetricInfo& info : answers::AllDerivedMetrics()) {
    if (metrics.size() >= limit) return;
    if (!metric.empty() && metric != info.name) continue;
    if (!std::ranges::binary_search(names, info.name)) continue;
    const MetricMetadata described{std::string(info.type), std::string(info.help),
                                   std::string(info.unit)};
    metrics.push_back({std::string(info.name), {described}});
  }
}

Response HandleMetadata(const Call& call, QueryBudget& budget) {
  const auto limit = OptionalCount(call.form, "limit");
  if (!limit.ok()) return FailureReply(limit.status());
  const auto limit_per_metric = OptionalCount(call.form, "limit_per_metric");
  if (!limit_per_metric.ok()) return FailureReply(limit_per_metric.status());
  const std::string_view metric = call.form.Get("metric");
  auto metrics = call.data->Metadata({
      .metric = metric,
      .max_metrics = *limit,
      .max_variants = *limit_per_metric == 0 ? kNoLimit : *limit_per_metric,
  });
  const auto derived = NamesOfJobs(call.data->storage(), budget);
  if (!derived.ok()) return FailureReply(derived.status());
  AddDerived(metric, *limit, *derived, metrics);
  return ListReply(
      Brackets::kObject, metrics.size(),
      [&](JsonWriter& json, size_t i) { WriteMetric(json, metrics[i]); }, budget);
}

}  // namespace lockstep::api
