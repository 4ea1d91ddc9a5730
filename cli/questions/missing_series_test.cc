#include "cli/questions/missing_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client/fake_server_testing.h"
#include "query/promql/parser/parser.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Formats the selectors of an expression.
std::vector<std::string> Selectors(std::string_view expression) {
  const auto tree = promql::ParseExpr(expression);
  EXPECT_TRUE(tree.ok()) << tree.status();
  std::vector<std::string> texts;
  for (const std::vector<Matcher>& selector : SelectorsOf(**tree)) {
    std::string& text = texts.emplace_back();
    for (const Matcher& matcher : selector) text += (text.empty() ? "" : ",") + matcher.ToString();
  }
  return texts;
}

TEST(MissingSeriesTest, FindsSelectorsWhereverTheyStand) {
  EXPECT_THAT(Selectors("1 + 2"), IsEmpty());
  EXPECT_THAT(Selectors("up"), ElementsAre("__name__=\"up\""));
  EXPECT_THAT(Selectors("{job=~\"a.*\"}"), ElementsAre("job=~\"a.*\""));
  EXPECT_THAT(Selectors("-(a + on (b) c)"), ElementsAre("__name__=\"a\"", "__name__=\"c\""));
  EXPECT_THAT(Selectors("quantile by (x) (scalar(q), rate(a{b=\"c\"}[5m] offset 1h))"),
              ElementsAre("__name__=\"q\"", "b=\"c\",__name__=\"a\""));
  EXPECT_THAT(Selectors("max_over_time(sum(a)[1h:1m])"), ElementsAre("__name__=\"a\""));
}

constexpr const char* kNames = "/api/v1/label/__name__/values";
constexpr const char* kJobValues = "/api/v1/label/job/values";
constexpr const char* kRangePath = "/api/v1/query_range";

class WhyNoResultTest : public ::testing::Test {
 protected:
  std::string Why(std::string_view expression, QueriedTimes times = {10'000, 10'000}) {
    const auto client = HttpClient::Make(server_.options());
    return WhyNoResult(**client, expression, times);
  }
  void PrepareSamples(bool has_samples) {
    server_.PrepareData(kRangePath, has_samples ? R"({"result":[{"metric":{},"values":[[1,"1"]]}]})"
                                                : R"({"result":[]})");
  }

  FakeServer server_;
};

TEST_F(WhyNoResultTest, TheServerMayHaveNothing) {
  server_.PrepareData(kNames, "[]");
  EXPECT_EQ(Why("up"), "the server has stored no series yet\n");
  EXPECT_THAT(server_.asked(), ElementsAre("GET /api/v1/label/__name__/values?"));
}

TEST_F(WhyNoResultTest, TheMetricMayBeUnknown) {
  server_.PrepareData(kNames, R"(["train_loss","up"])");
  EXPECT_EQ(Why("train_los"), "no series is named train_los; did you mean train_loss?\n");
  EXPECT_EQ(Why("up / tokens_seen"), "no series is named tokens_seen\n");
}

TEST_F(WhyNoResultTest, ALabelMayHaveOtherValues) {
  server_.PrepareData(kNames, R"(["up"])");
  server_.PrepareData(kJobValues, R"(["llama","mixtral"])");
  EXPECT_EQ(Why("up{job=\"lama\"}"), "no series named up has job=\"lama\"; did you mean llama?\n");
  EXPECT_EQ(server_.asked().back(),
            "GET /api/v1/label/job/values?match[]=%7B__name__%3D%22up%22%7D");
  EXPECT_EQ(Why("{job=\"lama\"}"), "no series has job=\"lama\"; did you mean llama?\n");
  EXPECT_EQ(server_.asked().back(), "GET /api/v1/label/job/values?");
}

TEST_F(WhyNoResultTest, OnlyValuesThatMustBeEqualAreLookedUp) {
  server_.PrepareData(kNames, R"(["up"])");
  PrepareSamples(false);
  EXPECT_EQ(Why("up{job!=\"a\",run=~\"b\",rank=\"\"}"),
            "{job!=\"a\",run=~\"b\",rank=\"\",__name__=\"up\"} has no samples at "
            "1970-01-01 00:00:10Z\n");
  EXPECT_THAT(server_.bodies(kJobValues), IsEmpty());
}

TEST_F(WhyNoResultTest, TheNextLabelIsLookedUpIfTheFirstFits) {
  server_.PrepareData(kNames, R"(["up"])");
  server_.PrepareData(kJobValues, R"(["a"])");
  server_.PrepareData("/api/v1/label/run/values", R"(["1"])");
  EXPECT_EQ(Why("up{job=\"a\",run=\"2\"}"), "no series named up has run=\"2\"\n");
}

TEST_F(WhyNoResultTest, ThereMayBeNoSamplesAtThatTime) {
  server_.PrepareData(kNames, R"(["up"])");
  server_.PrepareData("/api/v1/status/tsdb", R"({"headStats":{"minTime":20000,"maxTime":80000}})");
  PrepareSamples(false);
  EXPECT_EQ(Why("up"),
            "{__name__=\"up\"} has no samples at 1970-01-01 00:00:10Z; the server has samples "
            "from 1970-01-01 00:00:20Z to 1970-01-01 00:01:20Z; set --time to query another "
            "time\n");
  EXPECT_THAT(server_.bodies(kRangePath),
              ElementsAre("query=count%28%7B__name__%3D%22up%22%7D%29&start=10.000&end=10.000"
                          "&step=0.001"));
  EXPECT_EQ(Why("up", {0, 120'000}).substr(0, 70),
            "{__name__=\"up\"} has no samples from 1970-01-01 00:00:00Z to 1970-01-01");
  EXPECT_EQ(server_.bodies(kRangePath).back(),
            "query=count%28%7B__name__%3D%22up%22%7D%29&start=0.000&end=120.000&step=2.000");
}

TEST_F(WhyNoResultTest, TheTimesOfAnEmptyServerAreNotShown) {
  server_.PrepareData(kNames, R"(["up"])");
  server_.PrepareData("/api/v1/status/tsdb", R"({"headStats":{"minTime":1,"maxTime":0}})");
  PrepareSamples(false);
  EXPECT_EQ(Why("up"), "{__name__=\"up\"} has no samples at 1970-01-01 00:00:10Z\n");
}

TEST_F(WhyNoResultTest, TheExpressionMayDropEverything) {
  server_.PrepareData(kNames, R"(["a","b"])");
  PrepareSamples(true);
  EXPECT_EQ(Why("a > b"),
            "the series have samples at 1970-01-01 00:00:10Z, but the rest of the expression drops "
            "all of them\n");
  EXPECT_EQ(server_.bodies(kRangePath).size(), 2u);
}

TEST_F(WhyNoResultTest, TheSecondSelectorMayBeTheOneWithoutSamples) {
  server_.PrepareData(kNames, R"(["a","b"])");
  PrepareSamples(true);
  PrepareSamples(false);
  EXPECT_EQ(Why("a > b"), "{__name__=\"b\"} has no samples at 1970-01-01 00:00:10Z\n");
}

TEST_F(WhyNoResultTest, ThereMayBeNothingToSay) {
  EXPECT_EQ(Why("1 > 2"), "");
  EXPECT_EQ(Why("not an expression"), "");
  // The server does not answer the questions.
  EXPECT_EQ(Why("up"), "");
}

}  // namespace
}  // namespace lockstep::cli
