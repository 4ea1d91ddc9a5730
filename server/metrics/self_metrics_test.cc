#include "server/metrics/self_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::server {
namespace {

using testing::HasSubstr;

TEST(SelfMetricsTest, EveryFamilyHasHelpAndAType) {
  const std::string text = RenderMetrics({});
  size_t families = 0;
  std::string_view rest = text;
  std::string_view help_name;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.starts_with("# HELP ")) {
      help_name = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_GT(line.size(), 7 + help_name.size() + 5) << line;
      ++families;
    } else if (line.starts_with("# TYPE ")) {
      EXPECT_EQ(line.substr(7, line.find(' ', 7) - 7), help_name);
    } else {
      EXPECT_TRUE(line.starts_with(help_name)) << line;
    }
  }
  EXPECT_GT(families, 40u);
}

TEST(SelfMetricsTest, ShowsWhatItWasGiven) {
  SelfSnapshot snapshot;
  snapshot.version = "1.2.3";
  snapshot.storage.series_count = 17;
  snapshot.storage.max_time_ms = 1500;
  snapshot.http.open_connections = 4;
  snapshot.otlp_grpc = OtlpGrpcStats{{{"OK", 6}}, 2, 1234, 3, 4, 5, 6};
  snapshot.api.requests.push_back({"/api/v1/query", 200, 9});
  api::HandlerDuration duration;
  duration.handler = "/api/v1/query";
  duration.bucket_counts[0] = 2;
  duration.bucket_counts[1] = 3;
  duration.bucket_counts.back() = 1;
  duration.count = 6;
  duration.sum_seconds = 0.5;
  snapshot.api.durations.push_back(duration);
  snapshot.api.ingest.rejected_samples[0] = 5;
  const std::string text = RenderMetrics(snapshot);
  for (const char* line : {
           "lockstep_build_info{version=\"1.2.3\",revision=\"\"} 1\n",
           "lockstep_storage_series 17\n",
           "lockstep_storage_max_time_seconds 1.5\n",
           "lockstep_http_open_connections 4\n",
           "lockstep_otlp_grpc_calls_total{status=\"OK\"} 6\n",
           "lockstep_otlp_grpc_calls_in_flight 2\n",
           "lockstep_otlp_grpc_connections 3\n",
           "lockstep_otlp_grpc_refused_connections_total 4\n",
           "lockstep_otlp_grpc_broken_connections_total 5\n",
           "lockstep_otlp_grpc_displaced_connections_total 6\n",
           "lockstep_otlp_grpc_received_bytes_total 1234\n",
           "lockstep_api_requests_total{handler=\"/api/v1/query\",code=\"200\"} 9\n",
           "lockstep_api_request_duration_seconds_bucket{handler=\"/api/v1/query\",le=\"0.001\"} "
           "2\n",
           "lockstep_api_request_duration_seconds_bucket{handler=\"/api/v1/query\",le=\"0.0025\"} "
           "5\n",
           "lockstep_api_request_duration_seconds_bucket{handler=\"/api/v1/query\",le=\"+Inf\"} "
           "6\n",
           "lockstep_api_request_duration_seconds_sum{handler=\"/api/v1/query\"} 0.5\n",
           "lockstep_ingest_rejected_samples_total{reason=\"no_metric_name\"} 5\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(ProcessMetricsTest, KnowsThisProcess) {
  const ProcessMetrics metrics = ReadProcessMetrics();
  EXPECT_GT(metrics.resident_bytes, 100'000u);
  EXPECT_GT(metrics.virtual_bytes, metrics.resident_bytes);
  EXPECT_GT(metrics.start_time_seconds, 1.6e9);
  EXPECT_GE(metrics.thread_count, 1u);
  EXPECT_GE(metrics.open_file_count, 3u);
  EXPECT_GE(metrics.max_file_count, metrics.open_file_count);
}

}  // namespace
}  // namespace lockstep::server
