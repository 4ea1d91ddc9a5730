#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "cli/questions/questions.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;

constexpr const char* kVector = R"({"status":"success","data":{"resultType":"vector","result":[)"
                                R"({"metric":{"job":"a"},"value":[100,"7"]}]}})";
constexpr const char* kNothing =
    R"({"status":"success","data":{"resultType":"vector","result":[]}})";
constexpr const char* kMatrix = R"({"status":"success","data":{"resultType":"matrix","result":[)"
                                R"({"metric":{"job":"a"},"values":[[990,"1"],[1000,"2"]]}]}})";

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() {
    setenv("LC_ALL", "C", 1);
    flags_.server = server_.options();
    flags_.expression = "up";
  }

  Ran Run() {
    return RunCaptured([this] { return Query(flags_); });
  }

  FakeServer server_;
  QueryFlags flags_;
};

TEST_F(QueryTest, AsksAtATimeAndPrintsATable) {
  server_.Prepare("/api/v1/query", kVector);
  flags_.time = "100";
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out, "job  value\na        7\n");
  EXPECT_EQ(ran.errors, "");
  EXPECT_THAT(server_.asked(), ElementsAre("POST /api/v1/query query=up&time=100"));
}

TEST_F(QueryTest, LeavesTheTimeToTheServerIfNoneIsGiven) {
  server_.Prepare("/api/v1/query", kVector);
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_THAT(server_.asked(), ElementsAre("POST /api/v1/query query=up"));
}

TEST_F(QueryTest, PrintsTheResponseAsJsonAndCsv) {
  server_.Prepare("/api/v1/query", kVector);
  flags_.form.as_json = true;
  EXPECT_EQ(Run().out, std::string(kVector) + "\n");
  flags_.form = {.as_json = false, .as_csv = true, .watch_s = ""};
  EXPECT_EQ(Run().out, "job,value\na,7\n");
}

TEST_F(QueryTest, ARangeEndsAtTheTimeAndHasSixtySteps) {
  server_.Prepare("/api/v1/query_range", kMatrix);
  flags_.time = "1000";
  flags_.range = "10m";
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out.substr(0, ran.out.find('\n')), "job  lowest  highest  last  curve");
  EXPECT_THAT(
      server_.asked(),
      ElementsAre("POST /api/v1/query_range query=up&start=400.000&end=1000.000&step=10.000"));
}

TEST_F(QueryTest, ARangeCanHaveAnotherStep) {
  server_.Prepare("/api/v1/query_range", kMatrix);
  flags_.time = "1000";
  flags_.range = "1m";
  flags_.step = "30s";
  flags_.form.as_csv = true;
  EXPECT_EQ(Run().out, "job,time,value\na,990,1\na,1000,2\n");
  EXPECT_THAT(
      server_.asked(),
      ElementsAre("POST /api/v1/query_range query=up&start=940.000&end=1000.000&step=30.000"));
  flags_.form = {.as_json = true, .as_csv = false, .watch_s = ""};
  EXPECT_EQ(Run().out, std::string(kMatrix) + "\n");
}

TEST_F(QueryTest, AStepIsAMillisecondAtLeast) {
  server_.Prepare("/api/v1/query_range", kMatrix);
  flags_.time = "1000";
  flags_.range = "30ms";
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_THAT(
      server_.asked(),
      ElementsAre("POST /api/v1/query_range query=up&start=999.970&end=1000.000&step=0.001"));
}

TEST_F(QueryTest, SaysWhichFlagIsWrong) {
  flags_.range = "soon";
  Ran ran = Run();
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, "lockstep: --range: cannot parse \"soon\" to a valid duration\n");
  flags_.range = "0";
  EXPECT_EQ(Run().errors, "lockstep: --range: 0 is not a valid time\n");
  flags_.range = "1m";
  flags_.step = "-5";
  EXPECT_EQ(Run().errors, "lockstep: --step: -5 is not a valid time\n");
  flags_.time = "noon";
  EXPECT_EQ(Run().errors, "lockstep: cannot parse \"noon\" to a valid timestamp\n");
  EXPECT_TRUE(server_.asked().empty());
}

TEST_F(QueryTest, ExplainsAnEmptyResult) {
  server_.Prepare("/api/v1/query", kNothing);
  server_.PrepareData("/api/v1/label/__name__/values", "[]");
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out, "(no result)\nthe server has stored no series yet\n");
}

TEST_F(QueryTest, ExplainsAnEmptyResultAtItsTime) {
  server_.Prepare("/api/v1/query", kNothing);
  server_.PrepareData("/api/v1/label/__name__/values", "[\"up\"]");
  server_.PrepareData("/api/v1/query_range", R"({"resultType":"matrix","result":[]})");
  flags_.time = "100";
  EXPECT_EQ(Run().out, "(no result)\n{__name__=\"up\"} has no samples at 1970-01-01 00:01:40Z\n");
}

TEST_F(QueryTest, ExplainsAnEmptyRange) {
  const std::string path = "/api/v1/query_range";
  server_.PrepareData(path, R"({"resultType":"matrix","result":[]})");
  server_.PrepareData("/api/v1/label/__name__/values", "[\"up\"]");
  flags_.time = "100";
  flags_.range = "1m";
  EXPECT_EQ(Run().out,
            "(no result)\n{__name__=\"up\"} has no samples from 1970-01-01 00:00:40Z to "
            "1970-01-01 00:01:40Z\n");
  EXPECT_EQ(server_.bodies(path).size(), 2u);
}

TEST_F(QueryTest, DoesNotExplainTheEmptyResultOfAProgram) {
  server_.Prepare("/api/v1/query", kNothing);
  flags_.form.as_csv = true;
  EXPECT_EQ(Run().out, "value\n");
  EXPECT_EQ(server_.asked().size(), 1u);
}

TEST_F(QueryTest, PrintsTheServersError) {
  server_.Prepare(
      "/api/v1/query",
      FakeServer::Reply{R"({"status":"error","errorType":"bad_data","error":"parse\u001berror"})",
                        400});
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.errors, "lockstep: HTTP 400: bad_data: parse\\x1berror\n");
}

TEST_F(QueryTest, FailsWithoutItsTokenFile) {
  flags_.server.token_file = "/does/not/exist";
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, "lockstep: cannot read \"/does/not/exist\"\n");
}

}  // namespace
}  // namespace lockstep::cli
