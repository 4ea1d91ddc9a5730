#include "cli/rules/rule_backfill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "ingest/remote_write/remote_write.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kBackfillQuery = "/api/v1/query_range";
constexpr const char* kBackfillWrite = "/api/v1/write";

class RuleBackfillTest : public ::testing::Test {
 protected:
  RuleBackfillTest() {
    flags_.server = server_.options();
    flags_.start = "0";
    flags_.end = "120";
    WriteRules("groups: [{name: g, rules: [{record: job:x, expr: x}]}]\n");
    server_.Prepare(kBackfillWrite, FakeServer::Reply{"", 204});
  }

  void WriteRules(const std::string& yaml) {
    path_ = folder_.Write("rules.yml", yaml);
    flags_.files = {path_};
  }
  void PrepareMatrix(const std::string& series) {
    server_.PrepareData(kBackfillQuery, R"({"resultType":"matrix","result":[)" + series + "]}");
  }
  Ran Run() {
    return RunCaptured([this] { return BackfillRules(flags_); });
  }
  // The requests to write: "name{labels} time=value ...", one per series.
  std::vector<std::vector<std::string>> Written() const {
    std::vector<std::vector<std::string>> written;
    for (const std::string& body : server_.bodies(kBackfillWrite)) {
      const auto decoded = DecodeRemoteWrite(body, {});
      EXPECT_TRUE(decoded.ok()) << decoded.status();
      std::vector<std::string>& texts = written.emplace_back();
      for (const SeriesWrite& series : decoded->request.series) {
        std::string& text = texts.emplace_back(series.labels.ToString());
        for (const Sample& sample : series.samples) {
          absl::StrAppendFormat(&text, " %d=%g", sample.timestamp_ms, sample.value);
        }
      }
    }
    return written;
  }

  const TestFolder folder_;
  FakeServer server_;
  BackfillFlags flags_;
  std::string path_;
};

TEST_F(RuleBackfillTest, WritesTheResultsOfARecordingRule) {
  WriteRules(
      "groups: [{name: g, rules: [{alert: A, expr: y}, "
      "{record: 'job:x', expr: 'sum(x)', labels: {team: t}}]}]\n");
  PrepareMatrix(
      R"({"metric":{"__name__":"x","job":"a","team":"old"},"values":[[60,"1.5"],[120.25,"2"]]},)"
      R"({"metric":{"job":"b"},"values":[[1435781430.781,"3"]]})");
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_EQ(ran.out, path_ + ": job:x: 3 samples\n");
  EXPECT_THAT(server_.bodies(kBackfillQuery),
              ElementsAre("query=sum%28x%29&start=0.000&end=120.000&step=60.000"));
  EXPECT_THAT(Written(), ElementsAre(ElementsAre("job:x{job=\"a\", team=\"t\"} 60000=1.5 120250=2",
                                                 "job:x{job=\"b\", team=\"t\"} 1435781430781=3")));
  EXPECT_EQ(server_.requests().back().header("Content-Type"), "application/x-protobuf");
}

TEST_F(RuleBackfillTest, EvaluatesAtMultiplesOfTheInterval) {
  PrepareMatrix("");
  flags_.start = "61";
  flags_.end = "200";
  const Ran ran = Run();
  EXPECT_EQ(ran.out, path_ + ": job:x: 0 samples\n");
  EXPECT_THAT(server_.bodies(kBackfillQuery),
              ElementsAre("query=x&start=120.000&end=200.000&step=60.000"));
  EXPECT_THAT(server_.bodies(kBackfillWrite), IsEmpty());
}

TEST_F(RuleBackfillTest, AGroupMayHaveItsOwnInterval) {
  WriteRules(
      "groups: [{name: g, interval: 30s, rules: [{record: a, expr: x}]},"
      " {name: h, rules: [{record: b, expr: y}]}]\n");
  flags_.evaluation_interval = "20s";
  PrepareMatrix("");
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_THAT(server_.bodies(kBackfillQuery),
              ElementsAre("query=x&start=0.000&end=120.000&step=30.000",
                          "query=y&start=0.000&end=120.000&step=20.000"));
}

TEST_F(RuleBackfillTest, AsksForFiveHundredStepsAtOnce) {
  PrepareMatrix("");
  flags_.evaluation_interval = "1s";
  flags_.end = "500";
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_THAT(server_.bodies(kBackfillQuery),
              ElementsAre("query=x&start=0.000&end=499.000&step=1.000",
                          "query=x&start=500.000&end=500.000&step=1.000"));
}

TEST_F(RuleBackfillTest, CountsTheSamplesOfAllQueries) {
  PrepareMatrix(R"({"metric":{"job":"a"},"values":[[60,"1"],[120,"2"]]})");
  flags_.evaluation_interval = "1s";
  flags_.end = "500";
  EXPECT_EQ(Run().out, path_ + ": job:x: 4 samples\n");
}

TEST_F(RuleBackfillTest, WritesTwoThousandSeriesAtOnce) {
  std::string series;
  for (int i = 0; i <= 2000; ++i) {
    absl::StrAppendFormat(&series, R"(%s{"metric":{"i":"%d"},"values":[[60,"1"]]})",
                          i > 0 ? "," : "", i);
  }
  PrepareMatrix(series);
  EXPECT_EQ(Run().out, path_ + ": job:x: 2001 samples\n");
  const auto written = Written();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[0].size(), 2000u);
  EXPECT_THAT(written[1], ElementsAre("job:x{i=\"2000\"} 60000=1"));
}

TEST_F(RuleBackfillTest, LeavesOutWhatIsNoNumber) {
  PrepareMatrix(R"({"metric":{"job":"a"},"values":[[60,"?"],[120,"2"]]})");
  EXPECT_EQ(Run().out, path_ + ": job:x: 1 samples\n");
}

TEST_F(RuleBackfillTest, TimesMustBeUnixSeconds) {
  const auto error_of = [this](const std::string& start, const std::string& end) {
    flags_.start = start;
    flags_.end = end;
    const Ran ran = Run();
    EXPECT_EQ(ran.code, kUsage);
    return ran.errors;
  };
  EXPECT_EQ(error_of("now", "1"), "lockstep: --start: \"now\" is not a time in Unix seconds\n");
  EXPECT_EQ(error_of("-1", "1"), "lockstep: --start: \"-1\" is not a time in Unix seconds\n");
  EXPECT_EQ(error_of("1", "1e11"), "lockstep: --end: \"1e11\" is not a time in Unix seconds\n");
  EXPECT_EQ(error_of("2", "1"), "lockstep: the end is before the start, or the interval is zero\n");
  flags_.evaluation_interval = "0s";
  EXPECT_EQ(error_of("1", "2"), "lockstep: the end is before the start, or the interval is zero\n");
  flags_.evaluation_interval = "often";
  error_of("1", "2");
}

TEST_F(RuleBackfillTest, ARangeMayBeASingleTime) {
  PrepareMatrix("");
  flags_.start = flags_.end = "60";
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_THAT(server_.bodies(kBackfillQuery),
              ElementsAre("query=x&start=60.000&end=60.000&step=60.000"));
}

TEST_F(RuleBackfillTest, StopsAtTheFirstError) {
  const auto error_of = [this](const FakeServer::Reply& reply) {
    FakeServer server;
    server.Prepare(kBackfillQuery, reply);
    flags_.server = server.options();
    const Ran ran = Run();
    EXPECT_EQ(ran.code, kFailure);
    EXPECT_EQ(ran.out, "");
    return ran.errors;
  };
  const std::string begin = "lockstep: " + path_ + ", rule job:x: ";
  EXPECT_EQ(error_of({R"({"status":"error","error":"too many samples"})", 422}),
            begin + "too many samples\n");
  EXPECT_EQ(error_of({R"({"data":{"result":[{"metric":{},"histograms":[]}]}})"}),
            begin + "backfilling native histograms is not supported\n");
  EXPECT_THAT(error_of({"<html>"}),
              testing::StartsWith(begin + "the response is not a valid query API response: "));
  EXPECT_THAT(error_of({R"({"data":{}})"}),
              testing::StartsWith(begin + "the response is not a valid query API response: "));
}

TEST_F(RuleBackfillTest, TheServerMayRefuseTheWrite) {
  FakeServer server;
  server.PrepareData(kBackfillQuery, R"({"result":[{"metric":{},"values":[[60,"1"]]}]})");
  server.Prepare(kBackfillWrite, FakeServer::Reply{std::string(600, 'x'), 403});
  flags_.server = server.options();
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, "lockstep: " + path_ +
                            ", rule job:x: the server answered the write with HTTP 403: " +
                            std::string(500, 'x') + "\n");
}

TEST_F(RuleBackfillTest, RuleFilesMustBeValid) {
  WriteRules("groups: 1\n");
  EXPECT_EQ(Run().code, kUsage);
  EXPECT_THAT(server_.asked(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::cli
