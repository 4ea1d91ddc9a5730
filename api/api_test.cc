// Tests the whole API over a store in memory: requests in, complete bodies out. The expected bodies
// come from Prometheus (its HTTP API documentation and web/api/v1), not from this code's output.
#include "api/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "api/api_testing.h"
#include "base/utc_text.h"
#include "ingest/remote_write/remote_write_encoder.h"
#include "tenants/tenants.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Two metrics, as of a moment before kNowMs.
class ApiTest : public ApiFixture {
 protected:
  ApiTest() {
    storage_.Append(LabelSet::Of({{"__name__", "up"}, {"job", "api"}, {"instance", "a"}}),
                    kNowMs - 1000, 1);
    storage_.Append(LabelSet::Of({{"__name__", "up"}, {"job", "api"}, {"instance", "b<c"}}),
                    kNowMs - 1000, 0);
    storage_.Append(LabelSet::Of({{"__name__", "http_total"}, {"job", "web"}, {"a.b", "x"}}),
                    kNowMs - 2000, 2.5);
  }
};

constexpr char kUpVector[] =
    R"({"resultType":"vector","result":[)"
    R"({"metric":{"__name__":"up","instance":"a","job":"api"},"value":[1435781451.781,"1"]},)"
    R"({"metric":{"__name__":"up","instance":"b<c","job":"api"},"value":[1435781451.781,"0"]}]})";

TEST_F(ApiTest, InstantQueries) {
  Check(200,
        {
            {"/api/v1/query?query=up", Success(kUpVector)},
            {"/api/v1/query?query=up&time=2015-07-01T20:10:51.781Z", Success(kUpVector)},
            {"/api/v1/query?query=up&time=0", Success(R"({"resultType":"vector","result":[]})")},
            {"/api/v1/query?query=1%2B1&time=4",
             Success(R"({"resultType":"scalar","result":[4,"2"]})")},
            {"/api/v1/query?query=\"a\"&time=1.5",
             Success(R"({"resultType":"string","result":[1.5,"a"]})")},
            {"/api/v1/query?query=up{instance=\"a\"}[5s]",
             Success(R"({"resultType":"matrix","result":[{"metric":{"__name__":"up",)"
                     R"("instance":"a","job":"api"},"values":[[1435781450.781,"1"]]}]})")},
            {"/api/v1/query?query=up&lookback_delta=500ms",
             Success(R"({"resultType":"vector","result":[]})")},
            {"/api/v1/query?query=up&timeout=30s&limit=0", Success(kUpVector)},
        });
}

TEST_F(ApiTest, PostedFormsMeanTheSame) {
  const Response response = PostForm("/api/v1/query?time=0", "query=up&time=1435781451.781");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, Success(kUpVector));
}

TEST_F(ApiTest, LimitTruncatesWithAWarning) {
  EXPECT_EQ(Body("/api/v1/query?query=up&limit=1"),
            R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":)"
            R"("up","instance":"a","job":"api"},"value":[1435781451.781,"1"]}]},)"
            R"("warnings":["results truncated due to limit"]})");
  EXPECT_EQ(Body("/api/v1/labels?limit=2"), R"({"status":"success","data":["__name__","a.b"],)"
                                            R"("warnings":["results truncated due to limit"]})");
  EXPECT_EQ(Body("/api/v1/label/job/values?limit=1"),
            R"({"status":"success","data":["api"],"warnings":["results truncated due to limit"]})");
  EXPECT_EQ(Body("/api/v1/series?match[]=up&limit=1"),
            R"({"status":"success","data":[{"__name__":"up","instance":"a","job":"api"}],)"
            R"("warnings":["results truncated due to limit"]})");
  EXPECT_THAT(Body("/api/v1/labels?limit=5"), Not(HasSubstr("warnings")));
}

TEST_F(ApiTest, StatisticsOnRequest) {
  EXPECT_THAT(Body("/api/v1/query?query=up&stats=true"),
              AllOf(HasSubstr(R"(,"stats":{"timings":{"evalTotalTime":)"),
                    HasSubstr(R"("samples":{"totalQueryableSamples":2,"peakSamples":)")));
}

TEST_F(ApiTest, StatisticsPerStep) {
  EXPECT_THAT(Body("/api/v1/query?query=up&time=1435781451.5&stats=all"),
              HasSubstr(R"("samples":{"totalQueryableSamplesPerStep":[[1435781451.5,2]],)"
                        R"("totalQueryableSamples":2,)"));
  EXPECT_THAT(
      Body("/api/v1/query_range?query=sum(up)&start=1435781449&end=1435781451&step=1&stats=all"),
      HasSubstr(R"("totalQueryableSamplesPerStep":[[1435781449,0],[1435781450,0],[1435781451,2]],)"
                R"("totalQueryableSamples":2,)"));
  EXPECT_THAT(Body("/api/v1/query?query=up&stats=1"), Not(HasSubstr("PerStep")));
}

TEST_F(ApiTest, ExplainsAQuery) {
  const std::string body =
      Body("/api/v1/explain?query=sum(rate(up[5m]))%2B1&start=1435781440&end=1435781450&step=5");
  const auto node = [](const std::string& kind, const std::string& text) {
    return HasSubstr("{\"kind\":\"" + kind + "\",\"text\":\"" + text + "\",\"seconds\":");
  };
  EXPECT_THAT(body, HasSubstr(R"({"resultType":"matrix","resultCount":0,"plan":{"kind":)"
                              R"("binary operation",)"));
  EXPECT_THAT(body, node("binary operation", "sum(rate(up[5m])) + 1"));
  EXPECT_THAT(body, node("aggregation", "sum(rate(up[5m]))"));
  EXPECT_THAT(body, node("function", "rate(up[5m])"));
  EXPECT_THAT(body, node("matrix selector", "up[5m]"));
  EXPECT_THAT(body, node("number", "1"));
  EXPECT_THAT(body, HasSubstr(R"("matchers":["__name__=\"up\""],"series":0,"samples":0,)"));
  EXPECT_THAT(body, HasSubstr(R"("peakMemoryBytes":)"));
  EXPECT_THAT(
      Body("/api/v1/explain?query=up"),
      AllOf(HasSubstr(R"("resultType":"vector","resultCount":2,)"), node("vector selector", "up"),
            HasSubstr(R"("series":2,"samples":2,"samplesInRollups":0,"readSeconds":)")));
  EXPECT_EQ(Body("/api/v1/explain?query=up%2B"), Body("/api/v1/query?query=up%2B"));
}

TEST_F(ApiTest, RangeQueries) {
  Check(200,
        {
            {"/api/v1/query_range?query=http_total&start=1435781450&end=1435781452&step=1",
             Success(R"({"resultType":"matrix","result":[{"metric":{"__name__":"http_total",)"
                     R"("a.b":"x","job":"web"},"values":[[1435781450,"2.5"],[1435781451,"2.5"],)"
                     R"([1435781452,"2.5"]]}]})")},
            {"/api/v1/query_range?query=1&start=0&end=1&step=500ms",
             Success(R"({"resultType":"matrix","result":[{"metric":{},"values":[[0,"1"],)"
                     R"([0.500,"1"],[1,"1"]]}]})")},
            {"/api/v1/query_range?query=none&start=0&end=1&step=1",
             Success(R"({"resultType":"matrix","result":[]})")},
        });
}

// One series per reduction of the samples in (t - step, t].
TEST_F(ApiTest, ReducedRangeQueries) {
  const LabelSet http = LabelSet::Of({{"__name__", "http_total"}, {"job", "web"}, {"a.b", "x"}});
  storage_.Append(http, kNowMs - 2500, 9);
  const std::string metric = R"({"metric":{"__name__":"http_total","__reduce__":")";
  const std::string labels = R"(","a.b":"x","job":"web"},"values":)";
  Check(200,
        {{"/api/v1/query_range?query=http_total&start=1435781446&end=1435781450&step=4"
          "&reduce=min,max,count",
          Success(R"({"resultType":"matrix","result":[)" + metric + "count" + labels +
                  R"([[1435781450,"2"]]},)" + metric + "max" + labels + R"([[1435781450,"9"]]},)" +
                  metric + "min" + labels + R"([[1435781450,"2.5"]]}]})")}});
  EXPECT_THAT(Body("/api/v1/explain?query=sum(up)&start=1435781400&end=1435781450&step=50"
                   "&reduce=max"),
              HasSubstr(R"("text":"sum(up)[50s:5s]")"));
  Check(400, {{"/api/v1/query_range?query=up&start=0&end=1&step=1&reduce=p99",
               BadData(R"(invalid parameter \"reduce\": \"p99\" is none of min, max, first, last, )"
                       R"(sum, avg, count, separated by commas)")}});
}

TEST_F(ApiTest, BadQueries) {
  Check(400,
        {
            {"/api/v1/query?query=up&time=abc",
             BadData(R"(invalid parameter \"time\": invalid time value for 'time': cannot parse )"
                     R"(\"abc\" to a valid timestamp)")},
            {"/api/v1/query?query=up&timeout=x",
             BadData(R"(invalid parameter \"timeout\": cannot parse \"x\" to a valid duration)")},
            {"/api/v1/query?query=up&limit=-1",
             BadData(R"(invalid parameter \"limit\": limit must be non-negative)")},
            {"/api/v1/query?query=up&lookback_delta=x",
             BadData(R"(error parsing lookback delta duration: cannot parse \"x\" to a valid )"
                     R"(duration)")},
            {"/api/v1/query_range?query=up&end=1&step=1",
             BadData(R"(invalid parameter \"start\": cannot parse \"\" to a valid timestamp)")},
            {"/api/v1/query_range?query=up&start=2&end=1&step=1",
             BadData(R"(invalid parameter \"end\": end timestamp must not be before start time)")},
            {"/api/v1/query_range?query=up&start=1&end=2&step=0",
             BadData(R"(invalid parameter \"step\": zero or negative query resolution step widths )"
                     R"(are not accepted. Try a positive integer)")},
            {"/api/v1/query_range?query=up&start=0&end=11001&step=1",
             BadData("exceeded maximum resolution of 11,000 points per timeseries. Try decreasing "
                     "the query resolution (?step=XX)")},
            {"/api/v1/query_range?query=up[5m]&start=0&end=1&step=1",
             BadData(R"(invalid parameter \"query\": invalid expression type \"range vector\" for )"
                     R"(range query, must be Scalar or instant Vector)")},
        });
  EXPECT_THAT(Body("/api/v1/query?query=up%2B"),
              StartsWith(R"({"status":"error","errorType":"bad_data","error":"invalid parameter )"
                         R"(\"query\": 1:4: parse error: unexpected end of input)"));
  EXPECT_EQ(Get("/api/v1/query_range?query=1&start=0&end=11000&step=1").status, 200);
}

TEST_F(ApiTest, LongAnswersComeInParts) {
  std::string points;
  for (int second = 0; second < 10'000; ++second) {
    absl::StrAppendFormat(&points, R"(%s[%d,"7"])", second == 0 ? "" : ",", second);
  }
  std::string query = "vector(7)";
  std::string expected = R"({"metric":{},"values":[)" + points + "]}";
  for (int i = 10; i < 30; ++i) {
    query += absl::StrFormat(R"(%%20or%%20label_replace(vector(7),"a","%d","",""))", i);
    expected += absl::StrFormat(R"(,{"metric":{"a":"%d"},"values":[)", i) + points + "]}";
  }
  const Response response = Get("/api/v1/query_range?start=0&end=9999&step=1&query=" + query);
  std::string text = response.body;
  ASSERT_NE(response.rest, nullptr);
  while (*response.rest->Next(text)) {
  }
  EXPECT_EQ(text, Success(R"({"resultType":"matrix","result":[)" + expected + "]}"));
}

TEST_F(ApiTest, EvaluationErrors) {
  const Response response = Get("/api/v1/query?query=up%2Bon(job)up");
  EXPECT_EQ(response.status, 422);
  EXPECT_THAT(response.body, StartsWith(R"({"status":"error","errorType":"execution","error":)"));
}

TEST_F(ApiTest, TimeIsUp) {
  const Response response = Get("/api/v1/query?query=up&timeout=0");
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(
      response.body,
      StartsWith(R"({"status":"error","errorType":"timeout","error":"query timed out in )"));
}

TEST_F(ApiTest, SeriesLabelsAndValues) {
  const std::string http = R"({"__name__":"http_total","a.b":"x","job":"web"})";
  const std::string up_a = R"({"__name__":"up","instance":"a","job":"api"})";
  const std::string up_b = R"({"__name__":"up","instance":"b<c","job":"api"})";
  Check(200, {
                 {"/api/v1/series?match[]=up", Success("[" + up_a + "," + up_b + "]")},
                 {R"(/api/v1/series?match[]=up{instance="a"}&match[]={job=~".%2B"})",
                  Success("[" + http + "," + up_a + "," + up_b + "]")},
                 {"/api/v1/series?match[]=none", Success("[]")},
                 {"/api/v1/labels", Success(R"(["__name__","a.b","instance","job"])")},
                 {"/api/v1/labels?match[]=up", Success(R"(["__name__","instance","job"])")},
                 {"/api/v1/labels?match[]=none", Success("[]")},
                 {"/api/v1/label/__name__/values", Success(R"(["http_total","up"])")},
                 {"/api/v1/label/instance/values", Success(R"(["a","b\u003cc"])")},
                 {"/api/v1/label/job/values?match[]=up", Success(R"(["api"])")},
                 {"/api/v1/label/U__a_2e_b/values", Success(R"(["x"])")},
                 {"/api/v1/label/a%2Eb/values", Success(R"(["x"])")},
                 {"/api/v1/label/none/values", Success("[]")},
             });
  EXPECT_EQ(PostForm("/api/v1/labels", "match[]=up").body,
            Success(R"(["__name__","instance","job"])"));
  EXPECT_EQ(PostForm("/api/v1/series", "match[]=up&limit=40000").status, 200);
}

TEST_F(ApiTest, BadListRequests) {
  Check(400, {
                 {"/api/v1/series", BadData("no match[] parameter provided")},
                 {"/api/v1/series?match[]={}",
                  BadData(R"(invalid parameter \"match[]\": match[] must contain at least one )"
                          R"(non-empty matcher)")},
                 {"/api/v1/labels?match[]={a=~\".*\"}",
                  BadData("match[] must contain at least one non-empty matcher")},
                 {"/api/v1/labels?start=x",
                  BadData(R"(invalid parameter \"start\": invalid time value for 'start': cannot )"
                          R"(parse \"x\" to a valid timestamp)")},
                 {"/api/v1/labels?limit=x",
                  BadData(R"(invalid parameter \"limit\": strconv.Atoi: parsing \"x\": invalid )"
                          R"(syntax)")},
                 {"/api/v1/label/%FF/values", BadData(R"(invalid label name: \"\\xff\")")},
             });
}

TEST_F(ApiTest, FormatQuery) {
  EXPECT_EQ(Body("/api/v1/format_query?query=foo/bar"), Success(R"("foo / bar")"));
  EXPECT_THAT(Body("/api/v1/format_query?query="),
              StartsWith(R"({"status":"error","errorType":"bad_data","error":"invalid parameter )"
                         R"(\"query\": )"));
}

TEST_F(ApiTest, ExemplarsAreNone) {
  Check(200, {
                 // Grafana's probe sends milliseconds instead of seconds.
                 {"/api/v1/query_exemplars?query=test&start=1435781451000&end=1435781452000",
                  Success("[]")},
                 {"/api/v1/query_exemplars?query=sum(rate(x[5m]))", Success("[]")},
             });
  EXPECT_EQ(Get("/api/v1/query_exemplars?query=1").status, 204);
  Check(400, {{"/api/v1/query_exemplars?query=up&start=2&end=1",
               BadData("end timestamp must not be before start timestamp")}});
  EXPECT_EQ(Get("/api/v1/query_exemplars?query=up{").status, 400);
}

TEST_F(ApiTest, RulesAndAlertsAreNone) {
  Check(200, {
                 {"/api/v1/rules", Success(R"({"groups":[]})")},
                 {"/api/v1/rules?type=alert&exclude_alerts=true&group_limit=3",
                  Success(R"({"groups":[]})")},
                 {"/api/v1/alerts", Success(R"({"alerts":[]})")},
             });
  Check(400,
        {
            {"/api/v1/rules?type=x", BadData(R"(invalid parameter \"type\": not supported value )"
                                             R"(\"x\")")},
            {"/api/v1/rules?exclude_alerts=x",
             BadData(R"(invalid parameter \"exclude_alerts\": error converting exclude_alerts: )"
                     R"(strconv.ParseBool: parsing \"x\": invalid syntax)")},
            {"/api/v1/rules?group_next_token=x",
             BadData(R"(invalid parameter \"group_next_token\": group_limit needs to be present )"
                     R"(in order to paginate over the groups)")},
            {"/api/v1/rules?group_limit=0",
             BadData(R"(invalid parameter \"group_limit\": group_limit needs to be greater than )"
                     R"(0)")},
        });
}

TEST_F(ApiTest, WritesAreSeenByQueriesAndMetadata) {
  WriteRequest written;
  written.series.push_back({LabelSet::Of({{"__name__", "pushed"}}), {{kNowMs, 7}}, {}});
  const std::string body = EncodeRemoteWrite(
      written, {{"pushed", {"gauge", "What & why.", "seconds"}}, {"up", {"gauge", "", ""}}});
  const Response response = Send("POST", "/api/v1/write", body, {{"Content-Encoding", "identity"}});
  EXPECT_EQ(response.status, 204) << response.body;
  Check(
      200,
      {
          {"/api/v1/query?query=pushed",
           Success(R"({"resultType":"vector","result":[{"metric":{"__name__":"pushed"},)"
                   R"("value":[1435781451.781,"7"]}]})")},
          {"/api/v1/metadata",
           Success(R"({"pushed":[{"type":"gauge","help":"What \u0026 why.","unit":"seconds"}],)"
                   R"("up":[{"type":"gauge","help":"","unit":""}]})")},
          {"/api/v1/metadata?metric=up",
           Success(R"({"up":[{"type":"gauge","help":"","unit":""}]})")},
          {"/api/v1/metadata?limit=1&limit_per_metric=1",
           Success(R"({"pushed":[{"type":"gauge","help":"What \u0026 why.","unit":"seconds"}]})")},
          {"/api/v1/metadata?metric=none", Success("{}")},
      });
  Check(400, {{"/api/v1/metadata?limit=x", BadData("limit must be a number")}});
  EXPECT_EQ(api_->stats().ingest.samples, 1u);
  EXPECT_EQ(api_->stats().metadata_metric_count, 2u);
}

TEST_F(ApiTest, OpenTelemetryMetricsAreSeenByQueries) {
  const std::string body =
      R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":)"
      R"({"stringValue":"train"}}]},"scopeMetrics":[{"metrics":[{"name":"gpu.power","unit":"W",)"
      R"("sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{"asInt":"7",)"
      R"("timeUnixNano":"1435781451781000000","exemplars":[{"asInt":"2","traceId":"0a",)"
      R"("timeUnixNano":"1435781451000000000"}]}]}}]}]}]})";
  for (const char* path : {"/api/v1/otlp/v1/metrics", "/v1/metrics"}) {
    const Response response = Send("POST", path, body, {{"Content-Type", "application/json"}});
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.body, "{}") << path;
  }
  Check(200,
        {
            {"/api/v1/query?query=gpu_power_watts_total",
             Success(R"({"resultType":"vector","result":[{"metric":)"
                     R"({"__name__":"gpu_power_watts_total","job":"train"},)"
                     R"("value":[1435781451.781,"7"]}]})")},
            {"/api/v1/metadata",
             Success(R"({"gpu_power_watts_total":[{"type":"counter","help":"","unit":"watts"}]})")},
            {"/api/v1/query_exemplars?query=gpu_power_watts_total",
             Success(R"([{"seriesLabels":{"__name__":"gpu_power_watts_total","job":"train"},)"
                     R"("exemplars":[{"labels":{"trace_id":"0a"},"value":"2",)"
                     R"("timestamp":1435781451}]}])")},
        });
}

TEST_F(ApiTest, StatusPages) {
  Check(200, {
                 {"/api/v1/status/buildinfo",
                  Success(R"({"version":"3.14.0","revision":"abc","branch":"lockstep-0.1.0",)"
                          R"("buildUser":"","buildDate":"2026-01-02","goVersion":"g++ 12.2.0"})")},
                 {"/api/v1/status/flags",
                  Success(R"({"data":"/srv/data","http.address":"127.0.0.1:9009"})")},
                 {"/api/v1/status/config", Success(R"({"yaml":"storage:\n  retention: 15d\n"})")},
                 {"/api/v1/status/walreplay", Success(R"({"min":0,"max":0,"current":0})")},
             });
  EXPECT_THAT(Body("/api/v1/status/runtimeinfo"),
              AllOf(HasSubstr(R"("startTime":"2015-07-01T20:10:50.781Z","CWD":"/srv")"),
                    HasSubstr(R"("serverTime":"2015-07-01T20:10:51.781Z")"),
                    HasSubstr(R"("storageRetention":"15d"})")));
  EXPECT_THAT(Body("/api/v1/status/tsdb"),
              AllOf(StartsWith(R"({"status":"success","data":{"headStats":{"numSeries":)"),
                    HasSubstr(R"("clock":{"isTrusted":true,"offsetSeconds":0})"),
                    HasSubstr(R"("seriesCountByMetricName":[)"),
                    HasSubstr(R"("labelValueCountByLabelName":[)"),
                    HasSubstr(R"("memoryInBytesByLabelName":[)"),
                    HasSubstr(R"("seriesCountByLabelValuePair":[)")));
  Check(400, {{"/api/v1/status/tsdb?limit=0", BadData("limit must be a positive number")}});
}

TEST_F(ApiTest, Cardinality) {
  const std::string no_churn = R"({"appeared":0,"left":0,"byJob":[],"byMetricName":[]})";
  const std::string nothing =
      Success(R"({"series":0,"seriesInMemory":0,"seriesCountByJob":[],)"
              R"("seriesCountByMetricName":[],"labelValueCountByLabelName":[],)"
              R"("labelValueBytesByLabelName":[],"seriesCountByLabelValuePair":[],)"
              R"("churn":{"sinceMs":0,"last10m":)" +
              no_churn + R"(,"last1h":)" + no_churn + R"(,"last1d":)" + no_churn + "}}");
  Check(200, {{"/api/v1/status/cardinality", nothing},
              {"/api/v1/status/cardinality?limit=1000&job=a&match[]=up&match[]=temp", nothing}});
  const std::string limit = BadData(R"(invalid parameter \"limit\": must be from 1 to 1000)");
  Check(400, {{"/api/v1/status/cardinality?limit=0", limit},
              {"/api/v1/status/cardinality?limit=1001", limit},
              {"/api/v1/status/cardinality?limit=x", limit}});
  const Response bad_matcher = Get("/api/v1/status/cardinality?match[]={");
  EXPECT_EQ(bad_matcher.status, 400);
  EXPECT_THAT(bad_matcher.body, HasSubstr(R"(invalid parameter \"match[]\")"));
}

TEST_F(ApiTest, UnknownPathsAndMethods) {
  const Response missing = Get("/api/v1/nothing");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, "404 page not found\n");
  EXPECT_THAT(missing.content_type, StartsWith("text/plain"));
  struct MethodCase {
    std::string method;
    std::string path;
    std::string allow;
  };
  const MethodCase cases[] = {
      {"GET", "/api/v1/write", "POST, OPTIONS"},
      {"GET", "/v1/metrics", "POST, OPTIONS"},
      {"POST", "/api/v1/metadata", "GET, HEAD, OPTIONS"},
      {"DELETE", "/api/v1/query", "GET, HEAD, POST, OPTIONS"},
  };
  for (const MethodCase& c : cases) {
    const Response response = Send(c.method, c.path);
    EXPECT_EQ(response.status, 405) << c.path;
    ASSERT_EQ(response.headers.size(), 1u);
    EXPECT_EQ(response.headers[0].name, "Allow");
    EXPECT_EQ(response.headers[0].value, c.allow);
  }
}

TEST_F(ApiTest, HealthAndReadiness) {
  EXPECT_EQ(Get("/-/healthy").status, 200);
  EXPECT_EQ(Get("/-/ready").status, 200);
  EXPECT_THAT(Get("/").body, HasSubstr("/api/v1/query"));
  api_->SetReady(false);
  EXPECT_EQ(Get("/-/healthy").status, 200);
  EXPECT_EQ(Get("/-/ready").status, 503);
  EXPECT_EQ(Get("/api/v1/query?query=up").status, 503);
  EXPECT_EQ(Send("POST", "/api/v1/write").status, 503);
  EXPECT_EQ(Get("/api/v1/status/buildinfo").status, 200);
}

// A store whose disk may be full.
class StorageOfADisk final : public MemoryStorage {
 public:
  StorageStats stats() const override {
    StorageStats stats = MemoryStorage::stats();
    stats.read_only = refuses_writes;
    return stats;
  }

  std::atomic<bool> refuses_writes{false};
};

TEST_F(ApiTest, IsNotReadyWhileTheStoreRefusesWrites) {
  StorageOfADisk storage;
  tenants::Tenants tenants(storage, nullptr, {});
  const auto start = [&](bool is_read_only) {
    ApiOptions options;
    options.is_read_only = is_read_only;
    Restart(tenants, options);
  };
  start(false);
  EXPECT_EQ(Get("/-/ready").status, 200);
  storage.refuses_writes = true;
  const Response refused = Get("/-/ready");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("rejects writes"));
  EXPECT_EQ(Get("/-/healthy").status, 200);
  EXPECT_EQ(Get("/api/v1/query?query=up").status, 200);
  storage.refuses_writes = false;
  EXPECT_EQ(Get("/-/ready").status, 200);
  // A read-only store is expected to reject writes.
  start(true);
  storage.refuses_writes = true;
  EXPECT_EQ(Get("/-/ready").status, 200);
}

// With strict PromQL, MetricsQL is an error wherever an expression is parsed.
TEST_F(ApiTest, StrictModeIsThatOfAllExpressions) {
  std::vector<std::string> targets;
  for (const char* path : {"format_query?", "parse_query?", "query_exemplars?start=1&end=2&"}) {
    for (const char* query :
         {"rollup(up[5m])", "sum((up,union(up)))", "with(a=up)a", "rollup_rate(up)"}) {
      targets.push_back(std::string("/api/v1/") + path + "query=" + query);
    }
  }
  for (const std::string& target : targets) EXPECT_EQ(Get(target).status, 200) << target;
  ApiOptions options;
  options.dialect = promql::Dialect::kPromql;
  Restart(tenants_, options);
  for (const std::string& target : targets) EXPECT_EQ(Get(target).status, 400) << target;
}

TEST_F(ApiTest, CountsRequests) {
  Get("/api/v1/query?query=up");
  Get("/api/v1/label/job/values");
  Get("/api/v1/label/instance/values");
  Get("/nothing");
  const ApiStats stats = api_->stats();
  ASSERT_EQ(stats.requests.size(), 3u);
  EXPECT_EQ(stats.requests[0].handler, "/api/v1/label/:name/values");
  EXPECT_EQ(stats.requests[0].count, 2u);
  EXPECT_EQ(stats.requests[1].handler, "/api/v1/query");
  EXPECT_EQ(stats.requests[2].handler, "other");
  EXPECT_EQ(stats.requests[2].status, 404);
  EXPECT_EQ(stats.query_samples_total, 2u);
}

TEST_F(ApiTest, FederatesTheNewestSamples) {
  const Response response = Get("/federate?match[]=up&match[]={instance=\"a\"}");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type,
            "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
  EXPECT_EQ(response.body,
            "# TYPE up untyped\n"
            "up{instance=\"a\",job=\"api\"} 1 1435781450781\n"
            "up{instance=\"b<c\",job=\"api\"} 0 1435781450781\n");
  EXPECT_EQ(Body("/federate"), "");
  EXPECT_EQ(Get("/federate?match[]=up{").status, 400);
  EXPECT_EQ(Body("/federate?match[]=up{"),
            "1:4: parse error: unexpected end of input inside braces\n");
}

TEST_F(ApiTest, AConfigurationThatCannotBeReadAgainLeavesTheOldOne) {
  const auto check = [this](const std::string& yaml, bool is_read, int64_t read_ms) {
    EXPECT_EQ(Body("/api/v1/status/config"),
              R"({"status":"success","data":{"yaml":")" + yaml + R"("}})");
    EXPECT_THAT(Body("/api/v1/status/runtimeinfo"),
                HasSubstr(absl::StrFormat(R"("reloadConfigSuccess":%s,"lastConfigTime":"%s")",
                                          is_read ? "true" : "false", Rfc3339Text(read_ms))));
    EXPECT_EQ(Body("/api/v1/notifications") == R"({"status":"success","data":[]})", is_read);
  };
  check(R"(storage:\n  retention: 15d\n)", true, kNowMs - 1000);
  api_->ConfigReread(absl::InvalidArgumentError("line 1"));
  check(R"(storage:\n  retention: 15d\n)", false, kNowMs - 1000);
  api_->ConfigReread(std::string("a: 1"));
  check("a: 1", true, kNowMs);
  api_->ConfigReread(absl::InvalidArgumentError("line 1"));
  check("a: 1", false, kNowMs);
  api_->ConfigReread(std::string("b: 2"));
  check("b: 2", true, kNowMs);
}

// A store whose selections run until their query is stopped.
class EndlessStorage : public MemoryStorage {
 public:
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    return std::make_unique<EndlessQuerier>();
  }

 private:
  class EndlessQuerier : public Querier {
   public:
    absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
      while (selection.budget->Check().ok()) std::this_thread::yield();
      return selection.budget->Check();
    }
    absl::StatusOr<std::vector<std::string>> LabelNames(const Selection&) const override {
      return std::vector<std::string>();
    }
    absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view,
                                                         const Selection&) const override {
      return std::vector<std::string>();
    }
  };
};

class EndlessApiTest : public ApiFixture {
 protected:
  EndlessApiTest() {
    ApiOptions options;
    options.max_concurrent_queries = 1;
    Restart(endless_, options);
  }
  ~EndlessApiTest() override { api_.reset(); }

  // Completes when the query is stopped.
  std::future<Response> Begin(const std::string& target,
                              const std::shared_ptr<CancelSignal>& cancel) {
    Request request;
    request.method = "GET";
    request.target = target;
    request.remote_address = "10.0.0.1:4242";
    request.user = "ada";
    request.cancel = cancel;
    auto answer = std::make_shared<std::promise<Response>>();
    std::future<Response> future = answer->get_future();
    api_->Handle(std::move(request), [answer](Response r) { answer->set_value(std::move(r)); });
    return future;
  }
  std::future<Response> Begin(const std::string& target) {
    return Begin(target, std::make_shared<CancelSignal>());
  }
  std::string List() { return Send("GET", "/api/v1/status/active_queries").body; }
  void AwaitRunning() {
    while (List().find(R"("state":"running")") == std::string::npos) std::this_thread::yield();
  }

  EndlessStorage endless_storage_;
  tenants::Tenants endless_{endless_storage_, nullptr, {}};
};

TEST_F(EndlessApiTest, ActiveQueriesAreListedAndStopped) {
  auto running = Begin("/api/v1/query?query=up");
  AwaitRunning();
  auto waiting = Begin("/api/v1/series?match[]=a&match[]=b");
  const std::string list = List();
  EXPECT_THAT(list, HasSubstr(R"([{"id":1,"path":"/api/v1/query","query":"up","user":"ada",)"
                              R"("client":"10.0.0.1:4242","state":"running",)"
                              R"("start":1435781451.781,"ageSeconds":)"));
  EXPECT_THAT(list, HasSubstr(R"("samplesRead":0,"peakMemoryBytes":0})"));
  EXPECT_THAT(list, HasSubstr(R"({"id":2,"path":"/api/v1/series","query":"a, b","user":"ada",)"
                              R"("client":"10.0.0.1:4242","state":"waiting",)"));
  EXPECT_EQ(Send("DELETE", "/api/v1/status/active_queries/2").status, 204);
  EXPECT_EQ(
      waiting.get().body,
      R"({"status":"error","errorType":"canceled","error":"query was canceled in query queue"})");
  EXPECT_EQ(Send("POST", "/api/v1/status/active_queries/1").status, 204);
  const Response stopped = running.get();
  EXPECT_EQ(stopped.status, 499);
  EXPECT_EQ(stopped.body, R"({"status":"error","errorType":"canceled","error":"query was )"
                          R"(canceled in expression evaluation"})");
  EXPECT_EQ(List(), Success("[]"));
}

TEST_F(EndlessApiTest, WhatIsNoActiveQueryCannotBeStopped) {
  const Response none = Send("DELETE", "/api/v1/status/active_queries/7");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr(R"("errorType":"not_found","error":"query 7 is not active)"));
  EXPECT_EQ(Send("DELETE", "/api/v1/status/active_queries/x").status, 400);
  EXPECT_EQ(Send("GET", "/api/v1/status/active_queries/7").status, 405);
  EXPECT_EQ(Send("DELETE", "/api/v1/status/active_queries").status, 405);
}

TEST_F(EndlessApiTest, AQueryStopsWhenItsClientHangsUp) {
  const auto cancel = std::make_shared<CancelSignal>();
  auto running = Begin("/federate?match[]=up", cancel);
  AwaitRunning();
  cancel->Fire();
  EXPECT_EQ(running.get().status, 499);
}

TEST_F(EndlessApiTest, QueriesStopWhenTheServerDoes) {
  auto running = Begin("/api/v1/explain?query=up");
  AwaitRunning();
  auto waiting = Begin("/api/v1/query?query=up");
  api_.reset();
  EXPECT_EQ(running.get().status, 503);
  EXPECT_EQ(waiting.get().status, 503);
}

}  // namespace
}  // namespace lockstep::api
