// How much a query holds at once: what is kept is charged before it is made, and given back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

// Queries over a thousand steps, in which each column of values takes a thousand samples, and
// instant queries of series whose labels take as much as a thousand samples.
class QueryMemoryTest : public EngineFixture {
 protected:
  static constexpr int64_t kSteps = 1'000;

  QueryMemoryTest() {
    storage_.Append(LabelSet::Of({{"__name__", "m"}, {"job", "j"}}), 0, 1.0);
    storage_.Append(LabelSet::Of({{"__name__", "n"}, {"job", "j"}}), 0, 2.0);
    storage_.Append(LabelSet::Of({{"__name__", "target_info"}, {"job", "j"}, {"v", "1"}}), 0, 1.0);
    storage_.Append(LabelSet::Of({{"__name__", "b"}, {"le", "1"}}), 0, 1.0);
    storage_.Append(LabelSet::Of({{"__name__", "b"}, {"le", "+Inf"}}), 0, 2.0);
    const std::string text(64'000, 'x');
    storage_.Append(LabelSet::Of({{"__name__", "wide"}, {"text", text}}), 0, 1.0);
  }

  // The smallest budget with which `run` succeeds.
  template <typename Run>
  static int64_t SmallestBudget(std::string_view text, Run&& run) {
    int64_t fails = -1;
    int64_t succeeds = 100'000;
    while (fails + 1 < succeeds) {
      const int64_t samples = (fails + succeeds) / 2;
      QueryBudget budget(samples, QueryBudget::Clock::time_point::max());
      const absl::Status status = run(budget);
      if (!status.ok()) {
        EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << text << ": " << status;
      }
      (status.ok() ? succeeds : fails) = samples;
      // Nothing is kept.
      EXPECT_TRUE(budget.Charge(samples).ok()) << text;
    }
    return succeeds;
  }

  // How many columns of a range query are in memory at once; less than a tenth of one is left over.
  int64_t Columns(std::string_view text) {
    RangeQuery query;
    query.text = text;
    query.end_ms = (kSteps - 1) * 1'000;
    query.step_ms = 1'000;
    query.lookback_ms = 10'000'000;
    const int64_t samples = SmallestBudget(
        text, [&](QueryBudget& budget) { return engine_.Execute(query, budget).status(); });
    EXPECT_LT(samples % kSteps, kSteps / 10) << text << " needs " << samples;
    return samples / kSteps;
  }

  // How many copies of the long label of an instant query are in memory at once.
  int64_t Texts(std::string_view text) {
    InstantQuery query;
    query.text = text;
    const int64_t samples = SmallestBudget(
        text, [&](QueryBudget& budget) { return engine_.Execute(query, budget).status(); });
    EXPECT_LT(samples % 1'000, 100) << text << " needs " << samples;
    return samples / 1'000;
  }
};

TEST_F(QueryMemoryTest, EachColumnTakesItsSteps) {
  EXPECT_EQ(Columns("1"), 1);
  EXPECT_EQ(Columns("time()"), 1);
  EXPECT_EQ(Columns("time() + time()"), 2);
  EXPECT_EQ(Columns("m"), 1);
  EXPECT_EQ(Columns("{job=\"j\"}"), 3);
  EXPECT_EQ(Columns("timestamp(m)"), 1);
  EXPECT_EQ(Columns("last_over_time(m[10000s])"), 1 + 1);  // and the row of windows
  // In place.
  EXPECT_EQ(Columns("-m"), 1);
  EXPECT_EQ(Columns("abs(m)"), 1);
  EXPECT_EQ(Columns("label_replace(m, \"a\", \"b\", \"job\", \"j\")"), 1);
  EXPECT_EQ(Columns("sort(m)"), 1);
  EXPECT_EQ(Columns("m > 0"), 2);
}

TEST_F(QueryMemoryTest, ResultsAreMadeBesideTheirOperands) {
  EXPECT_EQ(Columns("vector(time())"), 2);
  EXPECT_EQ(Columns("scalar(m)"), 2);
  EXPECT_EQ(Columns("absent(none)"), 1);
  EXPECT_EQ(Columns("hour()"), 1);
  EXPECT_EQ(Columns("sum(m)"), 2);
  EXPECT_EQ(Columns("sum({job=\"j\"})"), 4);
  EXPECT_EQ(Columns("quantile(0.5, m)"), 3);
  EXPECT_EQ(Columns("count_values(\"v\", m)"), 2);
  EXPECT_EQ(Columns("topk(1, m)"), 2);
  EXPECT_EQ(Columns("m + on (job) n"), 3);
  EXPECT_EQ(Columns("m + on (job) fill (0) n"), 4);
  // A part that is used again is copied, but not for its last use.
  EXPECT_EQ(Columns("m + on (job) m"), 3);
  EXPECT_EQ(Columns("m + on (job) m + on (job) m"), 4);
  EXPECT_EQ(Columns("m and on (job) n"), 3);
  EXPECT_EQ(Columns("m or on (__name__) n"), 4);
  EXPECT_EQ(Columns("histogram_quantile(0.5, b)"), 3);
  EXPECT_EQ(Columns("info(m)"), 3);
}

TEST_F(QueryMemoryTest, WhatIsTheSameAtEachStepIsRepeated) {
  EXPECT_EQ(Columns("m @ 0"), 1);
  EXPECT_EQ(Columns("vector(1)"), 1);
  EXPECT_EQ(Columns("sum(m @ 0)"), 1);
  EXPECT_EQ(Columns("m @ 0 + on (job) n"), 3);
}

TEST_F(QueryMemoryTest, MetricsqlMakesColumnsToo) {
  EXPECT_EQ(Columns("running_sum(m)"), 2);
  EXPECT_EQ(Columns("keep_last_value(m)"), 2);
  EXPECT_EQ(Columns("union(m, n)"), 2);
  EXPECT_EQ(Columns("alias(m, \"a\")"), 1);
}

TEST_F(QueryMemoryTest, SubqueriesHoldTheirSteps) {
  // The grid of the subquery, its result, its samples, and the answer: less for the last step.
  EXPECT_THAT(Columns("sum_over_time(m[1s:1s])"), AllOf(Ge(3), Le(5)));
  InstantQuery query;
  query.text = "sum_over_time(vector(1)[1000s:1s])";
  query.time_ms = 1'000'000;
  const int64_t samples = SmallestBudget(
      query.text, [&](QueryBudget& budget) { return engine_.Execute(query, budget).status(); });
  EXPECT_GE(samples, 2'000);
}

TEST_F(QueryMemoryTest, RangeVectorsAreCopied) {
  for (int i = 1; i < 1'000; ++i) {
    storage_.Append(LabelSet::Of({{"__name__", "m"}, {"job", "j"}}), i * 1'000, 1.0);
  }
  InstantQuery query;
  query.time_ms = 999'000;
  const auto samples = [&](std::string_view text) {
    query.text = text;
    return SmallestBudget(
        text, [&](QueryBudget& budget) { return engine_.Execute(query, budget).status(); });
  };
  EXPECT_EQ(samples("m[1000s]"), 2'000);
  EXPECT_EQ(samples("m[500s]"), 1'000);
  // One sample at a time is enough for one value.
  EXPECT_THAT(samples("sum_over_time(m[1000s])"), AllOf(Ge(1'000), Le(1'002)));
}

TEST_F(QueryMemoryTest, LabelsAreTexts) {
  EXPECT_EQ(Texts("wide"), 1);
  EXPECT_EQ(Texts("-wide"), 1);
  EXPECT_EQ(Texts("wide[1m]"), 1);
  EXPECT_EQ(Texts("rate(wide[1m])"), 0);
  EXPECT_EQ(Texts("last_over_time(wide[1m])"), 1);
  EXPECT_EQ(Texts("sum(wide)"), 1);
  EXPECT_EQ(Texts("sum by (text) (wide)"), 2);
  EXPECT_EQ(Texts("count_values by (text) (\"v\", wide)"), 3);
  EXPECT_EQ(Texts("wide + wide"), 3);
  EXPECT_EQ(Texts("wide + on (text) fill (0) wide"), 4);
  EXPECT_EQ(Texts("wide or wide"), 3);  // nothing of the right side is left
  EXPECT_EQ(Texts("wide or alias(wide, \"other\")"), 3);
  EXPECT_EQ(Texts("wide or on (__name__) alias(wide, \"other\")"), 4);
  EXPECT_EQ(Texts("label_replace(wide, \"a\", \"$1\", \"text\", \"(.*)\")"), 2);
  EXPECT_EQ(Texts("label_set(wide, \"a\", \"b\")"), 1);
}

}  // namespace
}  // namespace lockstep::engine
