#include "server/metrics/self_metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "server/metrics/self_metrics_json.h"

namespace lockstep::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kMetricsPath = "/metrics";
constexpr std::string_view kSelfMetricsPath = "/api/v1/status/self_metrics";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Families in the order in which they are added.
class Families {
 public:
  // Begins a family; the values that follow belong to it.
  void Begin(MetricType type, std::string name, std::string help) {
    MetricFamily& family = families_.emplace_back();
    family.type = type;
    family.name = std::move(name);
    family.help = std::move(help);
  }

  void Value(double value, const Labels& labels = {}) {
    ClientMetric& metric = Add(labels);
    if (families_.back().type == MetricType::Counter)
      metric.counter.value = value;
    else
      metric.gauge.value = value;
  }

  void Counter(std::string name, std::string help, double value) {
    Begin(MetricType::Counter, std::move(name), std::move(help));
    Value(value);
  }

  void Gauge(std::string name, std::string help, double value) {
    Begin(MetricType::Gauge, std::move(name), std::move(help));
    Value(value);
  }

  void Histogram(const api::HandlerDuration& duration) {
    ClientMetric& metric = Add({{"handler", duration.handler}});
    metric.histogram.sample_count = duration.count;
    metric.histogram.sample_sum = duration.sum_seconds;
    uint64_t cumulative = 0;
    for (size_t i = 0; i < duration.bucket_counts.size(); ++i) {
      cumulative += duration.bucket_counts[i];
      ClientMetric::Bucket bucket;
      bucket.cumulative_count = cumulative;
      bucket.upper_bound =
          i < api::kDurationBoundsSeconds.size() ? api::kDurationBoundsSeconds[i] : kInfinity;
      metric.histogram.bucket.push_back(bucket);
    }
  }

  const std::vector<MetricFamily>& all() const { return families_; }

 private:
  ClientMetric& Add(const Labels& labels) {
    ClientMetric& metric = families_.back().metric.emplace_back();
    for (const auto& [name, value] : labels) metric.label.push_back({name, value});
    return metric;
  }

  std::vector<MetricFamily> families_;
};

void AddBuild(Families& families, const SelfSnapshot& snapshot) {
  families.Begin(MetricType::Gauge, "lockstep_build_info",
                 "1, with the version and source revision of this server as labels.");
  families.Value(1, {{"version", snapshot.version}, {"revision", snapshot.revision}});
}

void AddStorage(Families& families, const StorageStats& stats) {
  families.Gauge("lockstep_storage_series", "Series in the index.", stats.series_count);
  families.Gauge("lockstep_storage_max_series", "Limit of the number of series; 0: no limit.",
                 stats.max_series);
  families.Gauge("lockstep_storage_head_series", "Series with samples in memory.",
                 stats.head_series_count);
  families.Gauge("lockstep_storage_head_samples", "Samples in memory, not yet sealed into chunks.",
                 stats.head_sample_count);
  families.Gauge("lockstep_storage_label_pairs", "Distinct label name and value pairs.",
                 stats.label_pair_count);
  families.Gauge("lockstep_storage_min_time_seconds", "Time of the oldest stored sample.",
                 stats.min_time_ms / 1e3);
  families.Gauge("lockstep_storage_max_time_seconds", "Time of the newest stored sample.",
                 stats.max_time_ms / 1e3);
  families.Begin(MetricType::Counter, "lockstep_storage_samples_total",
                 "Samples that reached the store, by outcome.");
  families.Value(stats.appended_samples, {{"outcome", "appended"}});
  families.Value(stats.duplicate_samples, {{"outcome", "duplicate"}});
  families.Value(stats.overwritten_samples, {{"outcome", "overwritten"}});
  families.Value(stats.rejected_samples, {{"outcome", "rejected"}});
  families.Counter("lockstep_storage_out_of_order_samples_total",
                   "Stored samples that were older than another sample of their series.",
                   stats.out_of_order_samples);
  families.Counter("lockstep_storage_commits_total", "Group commits, each synced to disk.",
                   stats.commit_count);
  families.Counter("lockstep_storage_commit_bytes_total", "Bytes written by group commits.",
                   stats.commit_bytes);
  families.Counter("lockstep_storage_commit_seconds_total", "Time spent in group commits.",
                   stats.commit_seconds);
  families.Counter("lockstep_storage_sealed_chunks_total", "Chunks written from memory.",
                   stats.sealed_chunks);
  families.Counter("lockstep_storage_sealed_bytes_total", "Bytes of sealed chunks.",
                   stats.sealed_bytes);
  families.Counter("lockstep_storage_merges_total", "Merges of a window's runs.",
                   stats.merge_count);
  families.Counter("lockstep_storage_merge_read_bytes_total", "Bytes read by merges.",
                   stats.merge_read_bytes);
  families.Counter("lockstep_storage_merge_written_bytes_total", "Bytes written by merges.",
                   stats.merge_written_bytes);
  families.Counter("lockstep_storage_merge_seconds_total", "Time spent in merges.",
                   stats.merge_seconds);
  families.Gauge("lockstep_storage_windows", "Windows of four hours with stored samples.",
                 stats.window_count);
  families.Gauge("lockstep_storage_cold_windows",
                 "Windows with a single run, which are not merged again.", stats.cold_window_count);
  families.Gauge("lockstep_storage_runs", "Runs in all windows.", stats.run_count);
  families.Counter("lockstep_storage_expired_samples_total", "Samples dropped by retention.",
                   stats.expired_samples);
  families.Counter("lockstep_storage_budget_dropped_samples_total",
                   "Samples dropped because the store exceeded storage.max-bytes.",
                   stats.budget_dropped_samples);
  families.Counter("lockstep_storage_failed_writes_total",
                   "Write requests that failed in the store.", stats.failed_writes);
  families.Gauge("lockstep_storage_queued_writes", "Write requests waiting for a shard.",
                 stats.queue_depth);
  families.Gauge("lockstep_storage_disk_bytes", "Size of all files in the data folder.",
                 stats.disk_bytes);
  families.Gauge(
      "lockstep_storage_used_bytes",
      "Size compared with storage.max-bytes: excludes snapshots and files being deleted.",
      stats.used_bytes);
  families.Gauge("lockstep_storage_max_bytes",
                 "Limit of the store's size on disk, excluding snapshots; 0: no limit.",
                 stats.max_bytes);
  families.Gauge(
      "lockstep_storage_read_only",
      "1 while writes are rejected because the disk is full or storage.read-only is set.",
      stats.read_only ? 1 : 0);
  families.Gauge(
      "lockstep_storage_clock_is_trusted",
      "1 while retention follows the wall clock, 0 while the clock is not trusted after a jump.",
      stats.clock_is_trusted ? 1 : 0);
  families.Gauge("lockstep_storage_clock_offset_seconds",
                 "How far the wall clock is ahead of the time used for retention.",
                 stats.clock_offset_seconds);
  families.Gauge("lockstep_storage_shards", "Shards of the store.", stats.shard_count);
}

void AddIngest(Families& families, const IngestStats& stats) {
  families.Counter("lockstep_ingest_requests_total", "Write requests.", stats.requests);
  families.Begin(MetricType::Counter, "lockstep_ingest_refused_requests_total",
                 "Write requests that were rejected as a whole, by reason.");
  families.Value(stats.undecodable_requests, {{"reason", "undecodable"}});
  families.Value(stats.oversized_requests, {{"reason", "oversized"}});
  families.Value(stats.throttled_requests, {{"reason", "throttled"}});
  families.Counter("lockstep_ingest_body_bytes_total", "Bytes of write requests as sent.",
                   stats.body_bytes);
  families.Counter("lockstep_ingest_decoded_bytes_total",
                   "Bytes of write requests after decompression.", stats.decoded_bytes);
  families.Counter("lockstep_ingest_series_total", "Series entries in write requests.",
                   stats.series);
  families.Counter("lockstep_ingest_samples_total", "Float samples in write requests.",
                   stats.samples);
  families.Counter("lockstep_ingest_histograms_total", "Native histograms in write requests.",
                   stats.histograms);
  families.Counter("lockstep_ingest_exemplars_total", "Exemplars in write requests.",
                   stats.exemplars);
  families.Counter(
      "lockstep_ingest_rejected_exemplars_total",
      "Exemplars that were not stored: out of order, too long, too many, or of a rejected series.",
      stats.rejected_exemplars);
  families.Counter("lockstep_ingest_metadata_total", "Metadata entries in write requests.",
                   stats.metadata_entries);
  families.Counter("lockstep_ingest_text_values_total",
                   "Text fields of InfluxDB line protocol, which are not stored.",
                   stats.text_values);
  families.Begin(MetricType::Counter, "lockstep_ingest_rejected_samples_total",
                 "Samples and histograms that were not stored, by reason.");
  for (size_t i = 0; i < stats.rejected_samples.size(); ++i) {
    families.Value(stats.rejected_samples[i],
                   {{"reason", std::string(Name(static_cast<RejectReason>(i)))}});
  }
}

void AddPush(Families& families, const push::PushStats& stats) {
  families.Counter("lockstep_push_requests_total", "Pushes of logs and steps.", stats.pushes);
  families.Counter("lockstep_push_failed_requests_total", "Pushes that stored nothing.",
                   stats.failed_pushes);
  families.Counter("lockstep_push_bytes_total", "Accepted bytes of logs and steps.", stats.bytes);
  families.Counter("lockstep_push_lines_total", "Lines of logs and steps.", stats.lines);
  families.Counter("lockstep_push_records_total", "Records in pushed lines.", stats.records);
  families.Counter("lockstep_push_values_total", "Values in pushed records.", stats.values);
  families.Counter("lockstep_push_rejected_lines_total", "Malformed lines.", stats.rejected_lines);
  families.Counter("lockstep_push_rejected_samples_total",
                   "Samples of pushed values that were not stored.", stats.rejected_samples);
  families.Gauge("lockstep_push_streams", "Log streams being followed.",
                 static_cast<double>(stats.streams));
}

void AddApi(Families& families, const api::ApiStats& stats) {
  families.Begin(MetricType::Counter, "lockstep_api_requests_total",
                 "Requests answered, by route and HTTP status.");
  for (const api::RequestCount& request : stats.requests) {
    families.Value(request.count,
                   {{"handler", request.handler}, {"code", std::to_string(request.status)}});
  }
  families.Begin(MetricType::Histogram, "lockstep_api_request_duration_seconds",
                 "Time from a request's arrival at its handler to the response, by route.");
  for (const api::HandlerDuration& duration : stats.durations) families.Histogram(duration);
  families.Gauge("lockstep_queries_running", "Queries being evaluated or sent.",
                 stats.queries_running);
  families.Gauge("lockstep_queries_queued", "Queries waiting in the queue.", stats.queries_queued);
  families.Counter("lockstep_query_cache_hits_total", "Range queries with some steps in the cache.",
                   stats.range_cache.hit_count);
  families.Counter("lockstep_query_cache_misses_total",
                   "Cacheable range queries that were evaluated completely.",
                   stats.range_cache.miss_count);
  families.Counter("lockstep_query_cache_known_steps_total",
                   "Steps of range queries read from the cache.",
                   stats.range_cache.known_step_count);
  families.Gauge("lockstep_query_cache_bytes", "Memory used by cached results.",
                 stats.range_cache.kept.byte_count);
  families.Counter("lockstep_queries_refused_total",
                   "Queries rejected because the queue was full or they waited too long.",
                   stats.queries_refused);
  families.Counter("lockstep_query_samples_total",
                   "Samples read by queries, once per step that uses them.",
                   stats.query_samples_total);
  families.Gauge("lockstep_metadata_metrics", "Metrics with metadata.",
                 stats.metadata_metric_count);
}

void AddMemory(Families& families, const MemoryBudgetStats& stats) {
  families.Gauge("lockstep_memory_budget_limit_bytes",
                 "Memory limit for all clients together (--memory-limit).",
                 static_cast<double>(stats.max_bytes));
  const auto by_account = [&](auto value) {
    for (size_t i = 0; i < kMemoryAccountCount; ++i) {
      families.Value(static_cast<double>(value(stats.accounts[i])),
                     {{"account", std::string(Name(static_cast<MemoryAccount>(i)))}});
    }
  };
  families.Begin(MetricType::Gauge, "lockstep_memory_budget_bytes",
                 "Memory held for clients, by account.");
  by_account([](const MemoryAccountStats& account) { return account.held_bytes; });
  families.Begin(MetricType::Gauge, "lockstep_memory_budget_account_limit_bytes",
                 "Memory limit, by account.");
  by_account([](const MemoryAccountStats& account) { return account.max_bytes; });
  families.Begin(MetricType::Counter, "lockstep_memory_budget_refusals_total",
                 "Requests rejected for lack of memory, by account.");
  by_account([](const MemoryAccountStats& account) { return account.refusals; });
}

void AddHttp(Families& families, const HttpStats& stats) {
  families.Gauge("lockstep_http_open_connections", "Open connections.", stats.open_connections);
  families.Counter("lockstep_http_connections_total", "Accepted connections.",
                   stats.accepted_connections);
  families.Counter("lockstep_http_refused_connections_total",
                   "Connections closed at once because too many were open.",
                   stats.refused_connections);
  families.Counter("lockstep_http_displaced_connections_total",
                   "Waiting connections closed to make room for others.",
                   stats.displaced_connections);
  families.Counter("lockstep_http_requests_total", "Requests with a complete header.",
                   stats.requests);
  families.Gauge("lockstep_http_running_requests", "Requests being handled.",
                 stats.running_requests);
  families.Begin(MetricType::Counter, "lockstep_http_failed_requests_total",
                 "Requests that never reached a handler or never got a response, by reason.");
  families.Value(stats.malformed_requests, {{"reason", "malformed"}});
  families.Value(stats.timed_out_requests, {{"reason", "timeout"}});
  families.Value(stats.denied_requests, {{"reason", "denied"}});
  families.Value(stats.overload_refusals, {{"reason", "overload"}});
  families.Value(stats.abandoned_requests, {{"reason", "abandoned"}});
  families.Gauge("lockstep_http_body_bytes_held", "Memory held by request bodies.",
                 stats.body_bytes_held);
  families.Counter("lockstep_http_received_bytes_total", "Bytes read from clients.",
                   stats.received_bytes);
  families.Counter("lockstep_http_sent_bytes_total", "Bytes written to clients.", stats.sent_bytes);
}

void AddRules(Families& families, const rules::RuleStats& stats) {
  families.Gauge("lockstep_rule_groups", "Rule groups.", stats.groups);
  families.Gauge("lockstep_rules", "Recording and alerting rules.", stats.rules);
  families.Begin(MetricType::Gauge, "lockstep_alerts", "Alerts by state.");
  families.Value(stats.pending_alerts, {{"state", "pending"}});
  families.Value(stats.firing_alerts, {{"state", "firing"}});
  families.Counter("lockstep_rule_group_iterations_total", "Evaluations of rule groups.",
                   stats.group_evaluations);
  families.Counter("lockstep_rule_group_iterations_missed_total",
                   "Evaluations of rule groups skipped because the previous one took too long.",
                   stats.missed_iterations);
  families.Counter("lockstep_rule_evaluations_total", "Evaluations of rules.",
                   stats.rule_evaluations);
  families.Counter("lockstep_rule_evaluation_failures_total", "Failed evaluations of rules.",
                   stats.failed_rule_evaluations);
  families.Counter("lockstep_rule_evaluation_seconds_total", "Time spent evaluating rule groups.",
                   stats.evaluation_seconds);
  families.Gauge("lockstep_alertmanagers", "Alertmanagers that receive alerts.",
                 stats.alertmanagers);
  families.Counter("lockstep_notifications_sent_total", "Alerts sent, counted once per receiver.",
                   stats.sent_alerts);
  families.Counter("lockstep_notifications_dropped_total",
                   "Alerts that were not sent to a receiver.", stats.dropped_alerts);
  families.Counter("lockstep_notification_failures_total",
                   "Failed requests to receivers; most are retried.", stats.failed_notifications);
  families.Counter("lockstep_remediation_actions_total", "Hooks executed, including dry runs.",
                   stats.remediation_actions);
  families.Counter("lockstep_remediation_failures_total", "Hooks that failed.",
                   stats.remediation_failures);
  families.Counter("lockstep_remediation_refusals_total",
                   "Hooks not executed because of their limits.", stats.remediation_refusals);
}

void AddScrape(Families& families, const scrape::ScrapeStats& stats) {
  families.Gauge("lockstep_scrape_jobs", "Configured scrape jobs.", stats.jobs);
  families.Gauge("lockstep_scrape_targets", "Active targets.", stats.active_targets);
  families.Gauge("lockstep_scrape_dropped_targets", "Targets dropped by relabelling.",
                 stats.dropped_targets);
  families.Counter("lockstep_scrape_scrapes_total", "Completed scrapes, successful or failed.",
                   stats.scrapes);
  families.Counter("lockstep_scrape_failed_scrapes_total",
                   "Failed scrapes, whose target counts as down.", stats.failed_scrapes);
  families.Counter("lockstep_scrape_skipped_scrapes_total",
                   "Scrapes skipped because the previous one was not stored yet.",
                   stats.skipped_scrapes);
  families.Counter("lockstep_scrape_body_bytes_total", "Uncompressed bytes of scrape responses.",
                   stats.body_bytes);
  families.Counter("lockstep_scrape_samples_total", "Samples in scrape responses.", stats.samples);
  families.Counter("lockstep_scrape_kept_samples_total", "Scraped samples left after relabelling.",
                   stats.kept_samples);
  families.Counter("lockstep_scrape_stale_markers_total", "Series marked as stale.",
                   stats.stale_markers);
  families.Counter("lockstep_scrape_failed_writes_total", "Scrapes that failed in the store.",
                   stats.failed_writes);
  families.Counter("lockstep_scrape_failed_discoveries_total",
                   "Failed reads of a target file or URL.", stats.failed_discoveries);
  families.Counter("lockstep_scrape_configurations_total", "Configurations loaded.", stats.reloads);
}

void AddOtlpGrpc(Families& families, const OtlpGrpcStats& stats) {
  families.Begin(MetricType::Counter, "lockstep_otlp_grpc_calls_total",
                 "OTLP gRPC calls, by status.");
  for (const auto& [status, count] : stats.calls) {
    families.Value(static_cast<double>(count), {{"status", status}});
  }
  families.Gauge("lockstep_otlp_grpc_calls_in_flight", "OTLP gRPC calls in flight.",
                 stats.calls_in_flight);
  families.Gauge("lockstep_otlp_grpc_connections", "Open OTLP gRPC connections.",
                 stats.open_connections);
  families.Counter("lockstep_otlp_grpc_refused_connections_total",
                   "OTLP gRPC connections rejected because too many were open.",
                   stats.refused_connections);
  families.Counter("lockstep_otlp_grpc_displaced_connections_total",
                   "Waiting OTLP gRPC connections closed to make room for others.",
                   stats.displaced_connections);
  families.Counter("lockstep_otlp_grpc_broken_connections_total",
                   "OTLP gRPC connections closed because of a flood or an HTTP/2 error.",
                   stats.broken_connections);
  families.Counter("lockstep_otlp_grpc_received_bytes_total",
                   "Bytes of OTLP gRPC messages, as sent.", stats.received_bytes);
}

// Names and help texts common to all Prometheus client libraries.
void AddProcess(Families& families, const ProcessMetrics& metrics) {
  families.Counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
                   metrics.cpu_seconds);
  families.Gauge("process_resident_memory_bytes", "Resident memory size in bytes.",
                 metrics.resident_bytes);
  families.Gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.",
                 metrics.virtual_bytes);
  families.Gauge("process_start_time_seconds",
                 "Start time of the process since unix epoch in seconds.",
                 metrics.start_time_seconds);
  families.Gauge("process_threads", "Number of threads.", metrics.thread_count);
  families.Gauge("process_open_fds", "Number of open file descriptors.", metrics.open_file_count);
  families.Gauge("process_max_fds", "Maximum number of open file descriptors.",
                 metrics.max_file_count);
}

Families FamiliesOf(const SelfSnapshot& snapshot) {
  Families families;
  AddBuild(families, snapshot);
  AddHttp(families, snapshot.http);
  if (snapshot.otlp_grpc.has_value()) AddOtlpGrpc(families, *snapshot.otlp_grpc);
  AddApi(families, snapshot.api);
  AddMemory(families, snapshot.api.memory);
  AddIngest(families, snapshot.api.ingest);
  AddPush(families, snapshot.api.push);
  AddScrape(families, snapshot.api.scrape);
  AddRules(families, snapshot.api.rules);
  AddStorage(families, snapshot.storage);
  AddProcess(families, snapshot.process);
  return families;
}

}  // namespace

std::string RenderMetrics(const SelfSnapshot& snapshot) {
  return prometheus::TextSerializer().Serialize(FamiliesOf(snapshot).all());
}

api::Role MetricsEndpoint::RoleFor(std::string_view method, std::string_view path) const {
  const bool is_own = path == kMetricsPath || path == kSelfMetricsPath;
  return is_own ? api::Role::kMetrics : next_.RoleFor(method, path);
}

bool MetricsEndpoint::OnlyQueues(const api::Request& request) const {
  const bool is_own = request.path() == kMetricsPath || request.path() == kSelfMetricsPath;
  return !is_own && next_.OnlyQueues(request);
}

void MetricsEndpoint::Handle(api::Request request, api::Respond respond) {
  const bool as_json = request.path() == kSelfMetricsPath;
  if (!as_json && request.path() != kMetricsPath) {
    return next_.Handle(std::move(request), std::move(respond));
  }
  api::Response response;
  if (request.method != "GET") {
    response.status = 405;
    response.headers.push_back({"Allow", "GET, HEAD, OPTIONS"});
    response.body = "This path only supports GET.\n";
    return respond(std::move(response));
  }
  if (as_json) return respond(AnswerAsJson(request, FamiliesOf(snapshot_()).all()));
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = RenderMetrics(snapshot_());
  respond(std::move(response));
}

}  // namespace lockstep::server
