// What a query says about its own evaluation: plan, counts of samples, progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "kind: text", one line per node, children indented.
void AppendPlan(const PlanNode& node, const std::string& indent, std::vector<std::string>& lines) {
  lines.push_back(indent + node.kind + ": " + node.text);
  for (const PlanNode& child : node.children) AppendPlan(child, indent + " ", lines);
}

// Times are as measured, but have to add up.
void CheckTimes(const PlanNode& node) {
  double below = 0;
  for (const PlanNode& child : node.children) {
    EXPECT_LE(child.seconds, node.seconds) << child.text;
    below += child.seconds;
    CheckTimes(child);
  }
  EXPECT_EQ(node.own_seconds, std::max(0.0, node.seconds - below)) << node.text;
}

class QueryStatsTest : public EngineFixture {
 protected:
  QueryStatsTest() {
    Load({{"__name__", "m"}, {"i", "0"}}, {1, 2, 3, 4});
    Load({{"__name__", "m"}, {"i", "1"}}, {5, 6, 7, 8});
  }

  QueryResult Ask(std::string_view text, QueryOptions options) {
    RangeQuery query;
    query.text = text;
    query.end_ms = 3 * kMinute;
    query.step_ms = kMinute;
    query.options = options;
    const auto result = engine_.Execute(query, Unlimited());
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : QueryResult();
  }

  PlanNode Plan(std::string_view text) {
    const QueryResult result = Ask(text, {.plan = true});
    EXPECT_TRUE(result.plan.has_value());
    return result.plan.value_or(PlanNode());
  }

  std::vector<std::string> PlanLines(std::string_view text) {
    std::vector<std::string> lines;
    AppendPlan(Plan(text), "", lines);
    return lines;
  }

  std::vector<int64_t> CountsPerStep(std::string_view text) {
    const QueryResult result = Ask(text, {.counts_per_step = true});
    int64_t sum = 0;
    for (const int64_t count : result.stats.samples_per_step) sum += count;
    EXPECT_EQ(result.stats.total_samples, sum) << text;
    EXPECT_EQ(Ask(text, {}).stats.total_samples, sum) << text;
    return result.stats.samples_per_step;
  }
};

TEST_F(QueryStatsTest, APlanHasANodeForEachPartOfTheText) {
  EXPECT_THAT(PlanLines("-sum by (i) (rate(m[2m])) + (1)"),
              ElementsAre("binary operation: -sum by (i) (rate(m[2m])) + (1)",
                          " unary operation: -sum by (i) (rate(m[2m]))",
                          "  aggregation: sum by (i) (rate(m[2m]))",
                          "   function: rate(m[2m])",    //
                          "    matrix selector: m[2m]",  //
                          " parentheses: (1)", "  number: 1"));
  EXPECT_THAT(PlanLines("topk(2, max_over_time(m[2m:1m]))"),
              ElementsAre("aggregation: topk(2, max_over_time(m[2m:1m]))", " number: 2",
                          " function: max_over_time(m[2m:1m])", "  subquery: m[2m:1m]",
                          "   vector selector: m"));
  EXPECT_THAT(
      PlanLines("count_values(\"v\", m)"),
      ElementsAre("aggregation: count_values(\"v\", m)", " string: \"v\"", " vector selector: m"));
}

TEST_F(QueryStatsTest, SelectorsOfAPlanSayWhatTheyRead) {
  Load({{"__name__", "n"}}, {1});
  const PlanNode plan = Plan("m{i=~\"0|1\"} / on () group_left () sum(n)");
  EXPECT_FALSE(plan.selector.has_value());
  ASSERT_EQ(plan.children.size(), 2u);
  const PlanNode& left = plan.children[0];
  ASSERT_TRUE(left.selector.has_value());
  EXPECT_THAT(left.selector->matchers, ElementsAre("i=~\"0|1\"", "__name__=\"m\""));
  EXPECT_EQ(left.selector->series_count, 2u);
  EXPECT_EQ(left.selector->sample_count, 8);
  EXPECT_EQ(left.selector->left_out_count, 0);
  EXPECT_GT(left.selector->read_seconds, 0);
  EXPECT_FALSE(plan.children[1].selector.has_value());
  ASSERT_EQ(plan.children[1].children.size(), 1u);
  EXPECT_EQ(plan.children[1].children[0].selector->series_count, 1u);
  EXPECT_EQ(plan.children[1].children[0].selector->sample_count, 1);
}

TEST_F(QueryStatsTest, TimesOfAPlanAddUp) {
  for (const char* text : {"sum(rate(m[2m])) / sum(m)", "max_over_time((m * 2)[2m:1m]) + (m)",
                           "rate(((m[2m])))", "sum(m @ 60)"}) {
    const PlanNode plan = Plan(text);
    EXPECT_GT(plan.seconds, 0) << text;
    CheckTimes(plan);
  }
  // A function reads its range itself: that took as long as reading did.
  const PlanNode rate = Plan("rate((m[2m]))");
  const PlanNode& range = rate.children[0].children[0];
  EXPECT_GT(range.seconds, 0);
  EXPECT_LE(range.seconds, range.selector->read_seconds);
  EXPECT_EQ(rate.children[0].seconds, range.seconds);
}

TEST_F(QueryStatsTest, ThereIsNoPlanUnlessAsked) {
  EXPECT_FALSE(Ask("m", {}).plan.has_value());
  EXPECT_FALSE(Ask("m", {.counts_per_step = true}).plan.has_value());
}

TEST_F(QueryStatsTest, EachStepCountsTheSamplesThatItLooksAt) {
  EXPECT_THAT(CountsPerStep("m"), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(CountsPerStep("m offset 2m"), ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(CountsPerStep("m + m"), ElementsAre(4, 4, 4, 4));
  // Windows grow until they are full.
  EXPECT_THAT(CountsPerStep("sum_over_time(m[2m])"), ElementsAre(2, 4, 4, 4));
  EXPECT_THAT(CountsPerStep("rate(m[3m])"), ElementsAre(2, 4, 6, 6));
  EXPECT_THAT(CountsPerStep("quantile_over_time(0.5, m[2m])"), ElementsAre(2, 4, 4, 4));
  EXPECT_THAT(CountsPerStep("absent_over_time(m[2m])"), ElementsAre(2, 4, 4, 4));
  EXPECT_THAT(CountsPerStep("sum(m @ 60)"), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(CountsPerStep("timestamp(m)"), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(CountsPerStep("time()"), ElementsAre(0, 0, 0, 0));
  // Of a subquery, its points.
  EXPECT_THAT(CountsPerStep("sum_over_time(m[2m:1m])"), ElementsAre(2, 4, 4, 4));
}

TEST_F(QueryStatsTest, InfoSeriesCountToo) {
  Load({{"__name__", "n"}, {"job", "j"}}, {1, 2, StaleNan(), 4});
  Load({{"__name__", "target_info"}, {"job", "j"}, {"v", "1"}}, {1, 1, 1, StaleNan()});
  EXPECT_THAT(CountsPerStep("info(n)"), ElementsAre(2, 2, 1, 1));
  // At the start, one of each is read for all steps.
  EXPECT_THAT(CountsPerStep("info(n @ 0)"), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(CountsPerStep("info(n @ 0 + time())"), ElementsAre(2, 2, 2, 2));
}

TEST_F(QueryStatsTest, CountsPerStepAreLeftOutUnlessAsked) {
  EXPECT_THAT(Ask("m", {}).stats.samples_per_step, IsEmpty());
}

// Like Prometheus, a histogram counts as the samples that would take its memory: one without
// buckets takes 168 bytes, and eleven samples take 176.
TEST_F(QueryStatsTest, HistogramsCountBySize) {
  const LabelSet labels = LabelSet::Of({{"__name__", "h"}});
  storage_.Append(labels, 0, std::make_shared<const Histogram>());
  storage_.Append(labels, kMinute, 1.0);
  EXPECT_THAT(CountsPerStep("h"), ElementsAre(11, 1, 1, 1));
  EXPECT_THAT(CountsPerStep("count_over_time(h[2m])"), ElementsAre(11, 12, 1, 0));
}

TEST_F(QueryStatsTest, InstantQueriesHaveOneStep) {
  InstantQuery query;
  query.time_ms = 3 * kMinute;
  query.options.counts_per_step = true;
  const auto counts = [&](std::string_view text) {
    query.text = text;
    return engine_.Execute(query, Unlimited())->stats.samples_per_step;
  };
  EXPECT_THAT(counts("m"), ElementsAre(2));
  EXPECT_THAT(counts("m[2m]"), ElementsAre(4));
  EXPECT_THAT(counts("(m + 0)[2m:1m]"), ElementsAre(4));
  EXPECT_THAT(counts("m[1m] @ 600"), ElementsAre(0));
  query.options.counts_per_step = false;
  for (const char* text : {"m[2m]", "m[2m:1m]"}) {
    query.text = text;
    const auto result = engine_.Execute(query, Unlimited());
    EXPECT_EQ(result->stats.total_samples, 4) << text;
    EXPECT_THAT(result->stats.samples_per_step, IsEmpty()) << text;
  }
}

TEST_F(QueryStatsTest, ProgressCountsWhatWasRead) {
  QueryProgress progress;
  Ask("rate(m[2m]) / m", {.progress = &progress});
  // Eight samples for each of the two.
  EXPECT_EQ(progress.samples_read, 16);
  Ask("m{i=\"0\"}", {.progress = &progress});
  EXPECT_EQ(progress.samples_read, 20);
}

TEST_F(QueryStatsTest, SeriesAreCountedAtEachRead) {
  EXPECT_EQ(Ask("m", {}).stats.series_count, 2u);
  EXPECT_EQ(Ask("m + on (i) m offset 1m", {}).stats.series_count, 4u);
  EXPECT_EQ(Ask("none", {}).stats.series_count, 0u);
}

TEST_F(QueryStatsTest, ThePeakIsAtLeastWhatTheAnswerHolds) {
  RangeQuery query;
  query.text = "m";
  query.end_ms = 3 * kMinute;
  query.step_ms = kMinute;
  QueryBudget budget(1'000, QueryBudget::Clock::time_point::max());
  const auto result = engine_.Execute(query, budget);
  ASSERT_TRUE(result.ok());
  EXPECT_GE(result->stats.peak_samples, 8);
  EXPECT_GT(result->stats.parse_seconds, 0);
  EXPECT_GT(result->stats.eval_seconds, 0);
}

TEST_F(QueryStatsTest, RangeQueriesNeedAStepAndSeries) {
  RangeQuery query;
  query.text = "m";
  EXPECT_EQ(engine_.Execute(query, Unlimited()).status().message(),
            "step of a range query must be above zero");
  query.step_ms = -1;
  EXPECT_FALSE(engine_.Execute(query, Unlimited()).ok());
  query.step_ms = 1;
  EXPECT_TRUE(engine_.Execute(query, Unlimited()).ok());
  query.text = "\"m\"";
  EXPECT_EQ(engine_.Execute(query, Unlimited()).status().message(),
            "invalid expression type \"string\" for range query, must be Scalar or instant Vector");
  query.text = "m[1m]";
  EXPECT_THAT(engine_.Execute(query, Unlimited()).status().message(),
              HasSubstr("invalid expression type \"range vector\""));
  query.text = "1";
  EXPECT_TRUE(engine_.Execute(query, Unlimited()).ok());
}

TEST_F(QueryStatsTest, AnEndBeforeTheStartHasNoSteps) {
  const auto result = Range("m", kMinute, 0);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(std::get<MatrixResult>(result->value), IsEmpty());
  EXPECT_EQ(result->stats.series_count, 0u);
}

}  // namespace
}  // namespace lockstep::engine
