#include "server/metrics/self_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::server {
namespace {

using testing::HasSubstr;
using testing::Not;

// A field of a part of the snapshot, and the series that shows it.
template <typename Part>
struct ShownField {
  uint64_t Part::*field;
  std::string series;
};

// Each field alone is shown by its series, and by no other.
template <typename Part>
void CheckFields(Part& (*part)(SelfSnapshot&), const std::vector<ShownField<Part>>& fields) {
  constexpr uint64_t kUnusual = 7654321;
  for (const ShownField<Part>& shown : fields) {
    SelfSnapshot snapshot;
    part(snapshot).*shown.field = kUnusual;
    const std::string text = RenderMetrics(snapshot);
    const size_t at = text.find("\n" + shown.series + " 7654321\n");
    EXPECT_NE(at, std::string::npos) << shown.series;
    EXPECT_EQ(text.find(" 7654321\n"), text.rfind(" 7654321\n")) << shown.series;
  }
}

TEST(SelfMetricsFieldsTest, OfTheStore) {
  using S = StorageStats;
  CheckFields<S>(
      [](SelfSnapshot& s) -> S& { return s.storage; },
      {{&S::series_count, "lockstep_storage_series"},
       {&S::max_series, "lockstep_storage_max_series"},
       {&S::head_series_count, "lockstep_storage_head_series"},
       {&S::head_sample_count, "lockstep_storage_head_samples"},
       {&S::label_pair_count, "lockstep_storage_label_pairs"},
       {&S::appended_samples, "lockstep_storage_samples_total{outcome=\"appended\"}"},
       {&S::duplicate_samples, "lockstep_storage_samples_total{outcome=\"duplicate\"}"},
       {&S::overwritten_samples, "lockstep_storage_samples_total{outcome=\"overwritten\"}"},
       {&S::rejected_samples, "lockstep_storage_samples_total{outcome=\"rejected\"}"},
       {&S::out_of_order_samples, "lockstep_storage_out_of_order_samples_total"},
       {&S::commit_count, "lockstep_storage_commits_total"},
       {&S::commit_bytes, "lockstep_storage_commit_bytes_total"},
       {&S::sealed_chunks, "lockstep_storage_sealed_chunks_total"},
       {&S::sealed_bytes, "lockstep_storage_sealed_bytes_total"},
       {&S::merge_count, "lockstep_storage_merges_total"},
       {&S::merge_read_bytes, "lockstep_storage_merge_read_bytes_total"},
       {&S::merge_written_bytes, "lockstep_storage_merge_written_bytes_total"},
       {&S::window_count, "lockstep_storage_windows"},
       {&S::cold_window_count, "lockstep_storage_cold_windows"},
       {&S::run_count, "lockstep_storage_runs"},
       {&S::expired_samples, "lockstep_storage_expired_samples_total"},
       {&S::budget_dropped_samples, "lockstep_storage_budget_dropped_samples_total"},
       {&S::failed_writes, "lockstep_storage_failed_writes_total"},
       {&S::queue_depth, "lockstep_storage_queued_writes"},
       {&S::disk_bytes, "lockstep_storage_disk_bytes"},
       {&S::used_bytes, "lockstep_storage_used_bytes"},
       {&S::max_bytes, "lockstep_storage_max_bytes"}});
  SelfSnapshot snapshot;
  snapshot.storage.min_time_ms = 2500;
  snapshot.storage.max_time_ms = 4500;
  snapshot.storage.commit_seconds = 0.25;
  snapshot.storage.merge_seconds = 0.75;
  snapshot.storage.clock_offset_seconds = -1.5;
  snapshot.storage.shard_count = 8;
  const std::string text = RenderMetrics(snapshot);
  for (const char* line :
       {"\nlockstep_storage_min_time_seconds 2.5\n", "\nlockstep_storage_max_time_seconds 4.5\n",
        "\nlockstep_storage_commit_seconds_total 0.25\n",
        "\nlockstep_storage_merge_seconds_total 0.75\n",
        "\nlockstep_storage_clock_offset_seconds -1.5\n", "\nlockstep_storage_shards 8\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(SelfMetricsFieldsTest, TheStateOfTheStoreIsZeroOrOne) {
  SelfSnapshot snapshot;
  snapshot.storage.read_only = true;
  snapshot.storage.clock_is_trusted = false;
  const std::string bad = RenderMetrics(snapshot);
  EXPECT_THAT(bad, HasSubstr("\nlockstep_storage_read_only 1\n"));
  EXPECT_THAT(bad, HasSubstr("\nlockstep_storage_clock_is_trusted 0\n"));
  const std::string good = RenderMetrics({});
  EXPECT_THAT(good, HasSubstr("\nlockstep_storage_read_only 0\n"));
  EXPECT_THAT(good, HasSubstr("\nlockstep_storage_clock_is_trusted 1\n"));
}

TEST(SelfMetricsFieldsTest, OfWrites) {
  using S = IngestStats;
  CheckFields<S>(
      [](SelfSnapshot& s) -> S& { return s.api.ingest; },
      {{&S::requests, "lockstep_ingest_requests_total"},
       {&S::undecodable_requests, "lockstep_ingest_refused_requests_total{reason=\"undecodable\"}"},
       {&S::oversized_requests, "lockstep_ingest_refused_requests_total{reason=\"oversized\"}"},
       {&S::throttled_requests, "lockstep_ingest_refused_requests_total{reason=\"throttled\"}"},
       {&S::body_bytes, "lockstep_ingest_body_bytes_total"},
       {&S::decoded_bytes, "lockstep_ingest_decoded_bytes_total"},
       {&S::series, "lockstep_ingest_series_total"},
       {&S::samples, "lockstep_ingest_samples_total"},
       {&S::histograms, "lockstep_ingest_histograms_total"},
       {&S::exemplars, "lockstep_ingest_exemplars_total"},
       {&S::rejected_exemplars, "lockstep_ingest_rejected_exemplars_total"},
       {&S::metadata_entries, "lockstep_ingest_metadata_total"},
       {&S::text_values, "lockstep_ingest_text_values_total"}});
}

TEST(SelfMetricsFieldsTest, OfPushes) {
  using S = push::PushStats;
  CheckFields<S>([](SelfSnapshot& s) -> S& { return s.api.push; },
                 {{&S::pushes, "lockstep_push_requests_total"},
                  {&S::failed_pushes, "lockstep_push_failed_requests_total"},
                  {&S::bytes, "lockstep_push_bytes_total"},
                  {&S::lines, "lockstep_push_lines_total"},
                  {&S::records, "lockstep_push_records_total"},
                  {&S::values, "lockstep_push_values_total"},
                  {&S::rejected_lines, "lockstep_push_rejected_lines_total"},
                  {&S::rejected_samples, "lockstep_push_rejected_samples_total"},
                  {&S::streams, "lockstep_push_streams"}});
}

TEST(SelfMetricsFieldsTest, OfTheApi) {
  using S = api::ApiStats;
  CheckFields<S>([](SelfSnapshot& s) -> S& { return s.api; },
                 {{&S::queries_running, "lockstep_queries_running"},
                  {&S::queries_queued, "lockstep_queries_queued"},
                  {&S::queries_refused, "lockstep_queries_refused_total"},
                  {&S::query_samples_total, "lockstep_query_samples_total"},
                  {&S::metadata_metric_count, "lockstep_metadata_metrics"}});
  using C = cache::RangeCacheStats;
  CheckFields<C>([](SelfSnapshot& s) -> C& { return s.api.range_cache; },
                 {{&C::hit_count, "lockstep_query_cache_hits_total"},
                  {&C::miss_count, "lockstep_query_cache_misses_total"},
                  {&C::known_step_count, "lockstep_query_cache_known_steps_total"}});
  SelfSnapshot snapshot;
  snapshot.api.range_cache.kept.byte_count = 17;
  EXPECT_THAT(RenderMetrics(snapshot), HasSubstr("\nlockstep_query_cache_bytes 17\n"));
}

TEST(SelfMetricsFieldsTest, OfMemory) {
  using S = MemoryAccountStats;
  CheckFields<S>(
      [](SelfSnapshot& s) -> S& {
        return s.api.memory.accounts[static_cast<size_t>(MemoryAccount::kForms)];
      },
      {{&S::held_bytes, "lockstep_memory_budget_bytes{account=\"forms\"}"},
       {&S::max_bytes, "lockstep_memory_budget_account_limit_bytes{account=\"forms\"}"},
       {&S::refusals, "lockstep_memory_budget_refusals_total{account=\"forms\"}"}});
  SelfSnapshot snapshot;
  snapshot.api.memory.max_bytes = 17;
  EXPECT_THAT(RenderMetrics(snapshot), HasSubstr("\nlockstep_memory_budget_limit_bytes 17\n"));
}

TEST(SelfMetricsFieldsTest, OfTheHttpServer) {
  using S = HttpStats;
  CheckFields<S>(
      [](SelfSnapshot& s) -> S& { return s.http; },
      {{&S::open_connections, "lockstep_http_open_connections"},
       {&S::accepted_connections, "lockstep_http_connections_total"},
       {&S::refused_connections, "lockstep_http_refused_connections_total"},
       {&S::displaced_connections, "lockstep_http_displaced_connections_total"},
       {&S::requests, "lockstep_http_requests_total"},
       {&S::running_requests, "lockstep_http_running_requests"},
       {&S::malformed_requests, "lockstep_http_failed_requests_total{reason=\"malformed\"}"},
       {&S::timed_out_requests, "lockstep_http_failed_requests_total{reason=\"timeout\"}"},
       {&S::denied_requests, "lockstep_http_failed_requests_total{reason=\"denied\"}"},
       {&S::overload_refusals, "lockstep_http_failed_requests_total{reason=\"overload\"}"},
       {&S::abandoned_requests, "lockstep_http_failed_requests_total{reason=\"abandoned\"}"},
       {&S::body_bytes_held, "lockstep_http_body_bytes_held"},
       {&S::received_bytes, "lockstep_http_received_bytes_total"},
       {&S::sent_bytes, "lockstep_http_sent_bytes_total"}});
}

TEST(SelfMetricsFieldsTest, OfRules) {
  using S = rules::RuleStats;
  CheckFields<S>([](SelfSnapshot& s) -> S& { return s.api.rules; },
                 {{&S::groups, "lockstep_rule_groups"},
                  {&S::rules, "lockstep_rules"},
                  {&S::pending_alerts, "lockstep_alerts{state=\"pending\"}"},
                  {&S::firing_alerts, "lockstep_alerts{state=\"firing\"}"},
                  {&S::group_evaluations, "lockstep_rule_group_iterations_total"},
                  {&S::missed_iterations, "lockstep_rule_group_iterations_missed_total"},
                  {&S::rule_evaluations, "lockstep_rule_evaluations_total"},
                  {&S::failed_rule_evaluations, "lockstep_rule_evaluation_failures_total"},
                  {&S::alertmanagers, "lockstep_alertmanagers"},
                  {&S::sent_alerts, "lockstep_notifications_sent_total"},
                  {&S::dropped_alerts, "lockstep_notifications_dropped_total"},
                  {&S::failed_notifications, "lockstep_notification_failures_total"},
                  {&S::remediation_actions, "lockstep_remediation_actions_total"},
                  {&S::remediation_failures, "lockstep_remediation_failures_total"},
                  {&S::remediation_refusals, "lockstep_remediation_refusals_total"}});
  SelfSnapshot snapshot;
  snapshot.api.rules.evaluation_seconds = 0.5;
  EXPECT_THAT(RenderMetrics(snapshot), HasSubstr("\nlockstep_rule_evaluation_seconds_total 0.5\n"));
}

TEST(SelfMetricsFieldsTest, OfScrapes) {
  using S = scrape::ScrapeStats;
  CheckFields<S>([](SelfSnapshot& s) -> S& { return s.api.scrape; },
                 {{&S::jobs, "lockstep_scrape_jobs"},
                  {&S::active_targets, "lockstep_scrape_targets"},
                  {&S::dropped_targets, "lockstep_scrape_dropped_targets"},
                  {&S::scrapes, "lockstep_scrape_scrapes_total"},
                  {&S::failed_scrapes, "lockstep_scrape_failed_scrapes_total"},
                  {&S::skipped_scrapes, "lockstep_scrape_skipped_scrapes_total"},
                  {&S::body_bytes, "lockstep_scrape_body_bytes_total"},
                  {&S::samples, "lockstep_scrape_samples_total"},
                  {&S::kept_samples, "lockstep_scrape_kept_samples_total"},
                  {&S::stale_markers, "lockstep_scrape_stale_markers_total"},
                  {&S::failed_writes, "lockstep_scrape_failed_writes_total"},
                  {&S::failed_discoveries, "lockstep_scrape_failed_discoveries_total"},
                  {&S::reloads, "lockstep_scrape_configurations_total"}});
}

TEST(SelfMetricsFieldsTest, OfTheProcess) {
  using S = ProcessMetrics;
  CheckFields<S>([](SelfSnapshot& s) -> S& { return s.process; },
                 {{&S::resident_bytes, "process_resident_memory_bytes"},
                  {&S::virtual_bytes, "process_virtual_memory_bytes"},
                  {&S::thread_count, "process_threads"},
                  {&S::open_file_count, "process_open_fds"},
                  {&S::max_file_count, "process_max_fds"}});
  SelfSnapshot snapshot;
  snapshot.process.cpu_seconds = 1.5;
  snapshot.process.start_time_seconds = 2.5;
  const std::string text = RenderMetrics(snapshot);
  EXPECT_THAT(text, HasSubstr("\nprocess_cpu_seconds_total 1.5\n"));
  EXPECT_THAT(text, HasSubstr("\nprocess_start_time_seconds 2.5\n"));
}

TEST(SelfMetricsFieldsTest, ThoseOfAServerThatIsOffAreAbsent) {
  EXPECT_THAT(RenderMetrics({}), Not(HasSubstr("lockstep_otlp_grpc")));
  SelfSnapshot snapshot;
  snapshot.otlp_grpc.emplace();
  EXPECT_THAT(RenderMetrics(snapshot), HasSubstr("\nlockstep_otlp_grpc_connections 0\n"));
}

}  // namespace
}  // namespace lockstep::server
