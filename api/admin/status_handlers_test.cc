#include "api/admin/status_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "api/admin/cardinality_handler.h"
#include "api/admin/features_handler.h"
#include "api/admin/memory_handler.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Answers with preset counts, and remembers what it was asked for.
class CountedStorage : public MemoryStorage {
 public:
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override {
    asked_limit = query.limit;
    asked_matchers.clear();
    for (const std::vector<Matcher>& matchers : query.matcher_sets) {
      asked_matchers += "{";
      for (const Matcher& matcher : matchers) asked_matchers += matcher.ToString() + ";";
      asked_matchers += "}";
    }
    if (!failure.ok()) return failure;
    return counts;
  }
  StorageStats stats() const override { return given_stats; }

  CardinalityStats counts;
  StorageStats given_stats;
  absl::Status failure;
  mutable size_t asked_limit = 0;
  mutable std::string asked_matchers;
};

class StatusHandlersTest : public testing::Test {
 protected:
  StatusHandlersTest() {
    CardinalityStats& counts = storage_.counts;
    counts.series_count = 5;
    counts.head_series_count = 3;
    counts.series_by_job = {{"j", 4}, {"k", 1}};
    counts.series_by_metric_name = {{"up", 2}};
    counts.values_by_label_name = {{"job", 6}};
    counts.bytes_by_label_name = {{"job", 7}};
    counts.series_by_label_pair = {{"job=j", 8}};
  }

  static Call CallOf(const std::string& parameters) {
    Request request;
    request.method = "GET";
    request.target = "/?" + parameters;
    return {Form::Of(request)};
  }
  Response Tsdb(const std::string& parameters) { return HandleTsdb(CallOf(parameters), storage_); }
  Response Cardinality(const std::string& parameters) {
    const QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
    return HandleCardinality(CallOf(parameters), storage_, budget);
  }

  CountedStorage storage_;
};

// TSDBStatus of Prometheus' API, and the clock of lockstep.
TEST_F(StatusHandlersTest, TheStoreIsDescribedAsPrometheusDescribesItsOwn) {
  StorageStats& stats = storage_.given_stats;
  stats.label_pair_count = 11;
  stats.sealed_chunks = 12;
  stats.min_time_ms = 13;
  stats.max_time_ms = 14;
  stats.clock_is_trusted = false;
  stats.clock_offset_seconds = 1.5;
  const std::string body =
      R"({"status":"success","data":{"headStats":{"numSeries":5,"numLabelPairs":11,)"
      R"("chunkCount":12,"minTime":13,"maxTime":14},)"
      R"("clock":{"isTrusted":false,"offsetSeconds":1.5},)"
      R"("seriesCountByMetricName":[{"name":"up","value":2}],)"
      R"("labelValueCountByLabelName":[{"name":"job","value":6}],)"
      R"("memoryInBytesByLabelName":[{"name":"job","value":7}],)"
      R"("seriesCountByLabelValuePair":[{"name":"job=j","value":8}]}})";
  EXPECT_EQ(Tsdb("").body, body);
}

TEST_F(StatusHandlersTest, ListsOfTheStoreHaveALength) {
  const std::pair<std::string, size_t> rows[] = {
      {"", 10}, {"limit=1", 1}, {"limit=10000", 10'000}, {"limit=10001", 10'000}};
  for (const auto& [parameters, limit] : rows) {
    EXPECT_EQ(Tsdb(parameters).status, 200);
    EXPECT_EQ(storage_.asked_limit, limit) << parameters;
  }
  storage_.asked_limit = 0;
  for (const char* parameters : {"limit=0", "limit=-1", "limit=x"}) {
    const Response response = Tsdb(parameters);
    EXPECT_EQ(response.status, 400) << parameters;
    EXPECT_EQ(response.body, R"({"status":"error","errorType":"bad_data",)"
                             R"("error":"limit must be a positive number"})");
  }
  EXPECT_EQ(storage_.asked_limit, 0u);
}

TEST_F(StatusHandlersTest, CountsOfSeriesShowWhereTheyComeFrom) {
  storage_.counts.churn_since_ms = 99;
  storage_.counts.churn[0] = {{"", 1, 2}, {{"j", 3, 4}}, {}};
  storage_.counts.churn[1] = {{"", 5, 6}, {}, {{"up", 7, 8}, {"down", 9, 10}}};
  storage_.counts.churn[2] = {{"", 11, 12}, {}, {}};
  EXPECT_EQ(Cardinality("").body,
            R"({"status":"success","data":{"series":5,"seriesInMemory":3,)"
            R"("seriesCountByJob":[{"name":"j","value":4},{"name":"k","value":1}],)"
            R"("seriesCountByMetricName":[{"name":"up","value":2}],)"
            R"("labelValueCountByLabelName":[{"name":"job","value":6}],)"
            R"("labelValueBytesByLabelName":[{"name":"job","value":7}],)"
            R"("seriesCountByLabelValuePair":[{"name":"job=j","value":8}],"churn":{"sinceMs":99,)"
            R"("last10m":{"appeared":1,"left":2,"byJob":[{"name":"j","appeared":3,"left":4}],)"
            R"("byMetricName":[]},)"
            R"("last1h":{"appeared":5,"left":6,"byJob":[],"byMetricName":[)"
            R"({"name":"up","appeared":7,"left":8},{"name":"down","appeared":9,"left":10}]},)"
            R"("last1d":{"appeared":11,"left":12,"byJob":[],"byMetricName":[]}}}})");
}

TEST_F(StatusHandlersTest, CountsAreOfTheSelectedSeries) {
  Cardinality("");
  EXPECT_EQ(storage_.asked_limit, 10u);
  EXPECT_EQ(storage_.asked_matchers, "");
  Cardinality("limit=1000&job=j");
  EXPECT_EQ(storage_.asked_limit, 1000u);
  EXPECT_EQ(storage_.asked_matchers, R"({job="j";})");
  Cardinality("match[]=up&match[]={a=\"b\"}");
  EXPECT_EQ(storage_.asked_matchers, R"({__name__="up";}{a="b";})");
  Cardinality("match[]=up&match[]={a=\"b\"}&job=j&limit=1");
  EXPECT_EQ(storage_.asked_matchers, R"({__name__="up";job="j";}{a="b";job="j";})");
  EXPECT_EQ(storage_.asked_limit, 1u);
}

TEST_F(StatusHandlersTest, AStoreThatCannotCountSaysSo) {
  storage_.failure = absl::UnavailableError("closing");
  EXPECT_EQ(Tsdb("").status, 503);
  EXPECT_EQ(Cardinality("").status, 503);
}

TEST(MemoryHandlerTest, EachAccountIsShown) {
  MemoryBudgetStats stats;
  stats.max_bytes = 100;
  stats.held_bytes = 90;
  stats.accounts[1] = {.held_bytes = 7, .max_bytes = 8, .refusals = 9};
  const std::string body = HandleMemory(stats).body;
  EXPECT_THAT(body, StartsWith(R"({"status":"success","data":{"limitBytes":100,"heldBytes":90,)"
                               R"("accounts":[{"account":"decoding","limitBytes":0,"heldBytes":0,)"
                               R"("refusals":0},{"account":"queries","limitBytes":8,)"
                               R"("heldBytes":7,"refusals":9},)"));
  EXPECT_THAT(body, HasSubstr(R"({"account":"caches",)"));
}

// The names are those of Prometheus 3.14's /api/v1/features.
TEST(FeaturesHandlerTest, SwitchesAreThoseOfTheServer) {
  const std::string on =
      HandleFeatures({.admin = true, .lifecycle = true, .takes_writes = true}).body;
  EXPECT_THAT(on, StartsWith(R"({"status":"success","data":{"api":{"admin":true,)"
                             R"("exclude_alerts":true,"label_values_match":true,)"
                             R"("lifecycle":true,"openapi_3.1":true,"openapi_3.2":false,)"
                             R"("otlp_write_receiver":true,)"));
  EXPECT_THAT(on, HasSubstr(R"("remote_write_receiver":true)"));
  const std::string off =
      HandleFeatures({.admin = false, .lifecycle = false, .takes_writes = false}).body;
  EXPECT_THAT(off, AllOf(HasSubstr(R"("admin":false)"), HasSubstr(R"("lifecycle":false)"),
                         HasSubstr(R"("otlp_write_receiver":false)"),
                         HasSubstr(R"("remote_write_receiver":false)")));
}

TEST(FeaturesHandlerTest, WhatIsThereAndWhatIsNot) {
  const std::string body = HandleFeatures({}).body;
  for (const char* there :
       {R"("promql_functions":{)", R"("rate":true)", R"("subqueries":true)", R"("=~":true)",
        R"("keep_firing_for":true)", R"("native_histograms":true)", R"("kubernetes":true)",
        R"("humanize1024":true)", R"("native_delta_ingestion":true)", R"("server_mode":true)"}) {
    EXPECT_THAT(body, HasSubstr(there));
  }
  for (const char* absent :
       {R"("agent_mode":false)", R"("delayed_compaction":false)", R"("toDuration":false)",
        R"("args":false)", R"("urlQueryEscape":false)", R"("ui_v2":false)",
        R"("concurrent_rule_eval":false)", R"("extra_scrape_metrics":false)"}) {
    EXPECT_THAT(body, HasSubstr(absent));
  }
  EXPECT_THAT(body, HasSubstr(R"("without":true)"));
  EXPECT_THAT(body, HasSubstr(R"("type_and_unit_labels":false)"));
}

}  // namespace
}  // namespace lockstep::api
