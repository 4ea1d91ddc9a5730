// Queries with more series and steps than are computed at once. With a long lookback, few samples
// have values at many steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class WideQueriesTest : public ::testing::TestWithParam<size_t> {
 protected:
  static constexpr int kSeries = 300;
  static constexpr int64_t kSteps = 500;

  WideQueriesTest() {
    for (int i = 0; i < kSeries; ++i) {
      storage_.Append(
          LabelSet::Of(
              {{"__name__", "m"}, {"half", i < kSeries / 2 ? "a" : "b"}, {"i", std::to_string(i)}}),
          0, i);
    }
  }

  // One step per second from the first on.
  MatrixResult Ask(std::string_view text, int64_t first_step = 0, int64_t steps = kSteps) {
    RangeQuery query;
    query.text = text;
    query.start_ms = first_step * 1000;
    query.end_ms = (first_step + steps - 1) * 1000;
    query.step_ms = 1000;
    query.lookback_ms = 100'000'000;
    const auto result = engine_.Execute(query, Unlimited());
    EXPECT_TRUE(result.ok()) << text << ": " << result.status();
    return result.ok() ? std::get<MatrixResult>(result->value) : MatrixResult();
  }

  // Checks that series `index` is `expected`, a function of the step, at every step.
  template <typename Expected>
  static void Check(const MatrixResult& matrix, size_t index, Expected&& expected,
                    size_t steps = kSteps) {
    ASSERT_GT(matrix.size(), index);
    const SampleColumns& samples = matrix[index].samples;
    ASSERT_EQ(samples.values.size(), steps);
    for (size_t step = 0; step < samples.values.size(); ++step) {
      ASSERT_EQ(samples.timestamps_ms[step], static_cast<int64_t>(step) * 1000);
      ASSERT_DOUBLE_EQ(samples.values[step], expected(static_cast<double>(step))) << step;
    }
  }

  MemoryStorage storage_;
  Engine engine_{storage_, EngineOptions{.threads = GetParam()}};
};

// The sum of 0 ... 299 is 44850, that of 0 ... 149 is 11175.
TEST_P(WideQueriesTest, AggregationsHaveAValueAtEachStep) {
  Check(Ask("sum(m + time())"), 0, [](double step) { return 44'850 + 300 * step; });
  Check(Ask("count(m)"), 0, [](double) { return 300; });
  Check(Ask("max(m - time())"), 0, [](double step) { return 299 - step; });
  Check(Ask("min(m - time())"), 0, [](double step) { return -step; });
  Check(Ask("avg(m + time())"), 0, [](double step) { return 149.5 + step; });
  Check(Ask("quantile(0.5, m + time())"), 0, [](double step) { return 149.5 + step; });
  Check(Ask("group(m)"), 0, [](double) { return 1; });
  // The variance of 0 ... n - 1 is (n^2 - 1) / 12.
  Check(Ask("stdvar(m)"), 0, [](double) { return (300.0 * 300 - 1) / 12; });
}

TEST_P(WideQueriesTest, GroupsDoNotMix) {
  const MatrixResult sums = Ask("sum by (half) (m + time())");
  EXPECT_THAT(sums, SizeIs(2));
  Check(sums, 0, [](double step) { return 11'175 + 150 * step; });
  Check(sums, 1, [](double step) { return 33'675 + 150 * step; });
  const MatrixResult each = Ask("max by (i) (m + time())");
  ASSERT_THAT(each, SizeIs(300));
  // "0", "1", "10", "100", "101"
  Check(each, 4, [](double step) { return 101 + step; });
  const MatrixResult quantiles = Ask("quantile by (half) (scalar(vector(time() % 2)), m)");
  Check(quantiles, 0, [](double step) { return std::fmod(step, 2) == 0 ? 0 : 149; });
  Check(quantiles, 1, [](double step) { return std::fmod(step, 2) == 0 ? 150 : 299; });
}

// At step s there are the series of 0 ... s.
TEST_P(WideQueriesTest, StepsMayLackSeries) {
  const std::string growing = "(m <= scalar(vector(time())))";
  Check(
      Ask("count" + growing, 0, 200), 0, [](double step) { return step + 1; }, 200);
  Check(
      Ask("sum" + growing, 0, 200), 0, [](double step) { return step * (step + 1) / 2; }, 200);
  Check(
      Ask("quantile(1, " + growing + ")", 0, 200), 0, [](double step) { return step; }, 200);
  // A group that begins late: half b has members from step 150 on.
  const MatrixResult halves = Ask("count by (half) " + growing, 0, 200);
  ASSERT_THAT(halves, SizeIs(2));
  Check(
      halves, 0, [](double step) { return std::min(step + 1, 150.0); }, 200);
  const SampleColumns& late = halves[1].samples;
  ASSERT_EQ(late.values.size(), 50u);
  EXPECT_EQ(late.timestamps_ms[0], 150'000);
  EXPECT_EQ(late.values[0], 1);
  EXPECT_EQ(late.values[49], 50);
}

TEST_P(WideQueriesTest, HistogramsAreSummedAtManySteps) {
  constexpr size_t kMany = 10'000;
  for (int i = 1; i <= 2; ++i) {
    auto histogram = std::make_shared<Histogram>();
    histogram->count = histogram->zero_count = 3 * i;
    histogram->sum = i;
    // The second begins later.
    storage_.Append(LabelSet::Of({{"__name__", "h"}, {"i", std::to_string(i)}}),
                    i == 1 ? 0 : 5'000'000, std::move(histogram));
  }
  storage_.Append(LabelSet::Of({{"__name__", "h"}, {"i", "2"}}), 9'000'000, 4.0);
  const MatrixResult sums = Ask("sum(h)", 0, kMany);
  ASSERT_THAT(sums, SizeIs(1));
  // From 9000 s on, a histogram and a float have no sum.
  const std::vector<HistogramSample>& samples = sums[0].samples.histograms;
  ASSERT_EQ(samples.size(), 9'000u);
  for (size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(samples[i].timestamp_ms, static_cast<int64_t>(i) * 1000);
    ASSERT_EQ(samples[i].histogram->count, i < 5'000 ? 3 : 9) << i;
    ASSERT_EQ(samples[i].histogram->sum, i < 5'000 ? 1 : 3) << i;
  }
  Check(
      Ask("count(h)", 0, kMany), 0, [](double step) { return step < 5'000 ? 1 : 2; }, kMany);
}

TEST_P(WideQueriesTest, FloatAndHistogramGroupsKeepTheirPlaces) {
  for (const char* job : {"a", "c", "e"}) {
    storage_.Append(LabelSet::Of({{"__name__", "x"}, {"job", job}}), 0, 1.0);
  }
  for (const char* job : {"b", "d"}) {
    auto histogram = std::make_shared<Histogram>();
    histogram->count = histogram->zero_count = 5;
    storage_.Append(LabelSet::Of({{"__name__", "x"}, {"job", job}}), 0, std::move(histogram));
  }
  const MatrixResult sums = Ask("sum by (job) (x)", 0, 3);
  std::vector<std::string> kinds;
  for (const MatrixSeries& series : sums) {
    kinds.push_back(std::string(series.labels.Get("job")) + " " +
                    std::to_string(series.samples.values.size()) + " " +
                    std::to_string(series.samples.histograms.size()));
  }
  EXPECT_THAT(kinds, ElementsAre("a 3 0", "b 0 3", "c 3 0", "d 0 3", "e 3 0"));
}

TEST_P(WideQueriesTest, RanksAreChosenAtEachStep) {
  // The series whose number is nearest to the step is the smallest.
  const MatrixResult nearest = Ask("bottomk(1, abs(m - time()))", 0, kSeries);
  ASSERT_THAT(nearest, SizeIs(kSeries));
  for (const MatrixSeries& series : nearest) {
    ASSERT_THAT(series.samples.values, ElementsAre(0));
    EXPECT_EQ(std::to_string(series.samples.timestamps_ms[0] / 1000), series.labels.Get("i"));
  }
  Check(Ask("sum(topk(2, m + time()))"), 0, [](double step) { return 299 + 298 + 2 * step; });
  // As many as the step says.
  Check(
      Ask("count(topk(scalar(vector(time() + 1)), m))", 0, 200), 0,
      [](double step) { return step + 1; }, 200);
  Check(
      Ask("count(limitk(scalar(vector(time() + 1)), m))", 0, 200), 0,
      [](double step) { return step + 1; }, 200);
}

TEST_P(WideQueriesTest, BinaryOperatorsJoinAtEachStep) {
  Check(
      Ask("sum((m + time()) / on (i) (m + 1))", 0, 1), 0,
      [](double) {
        double sum = 0;
        for (int i = 0; i < kSeries; ++i) sum += i / (i + 1.0);
        return sum;
      },
      1);
  Check(
      Ask("count(m > on (i) m * 0 + time())", 0, 200), 0, [](double step) { return 299 - step; },
      200);
  Check(
      Ask("sum(m == bool time())", 0, 300), 0, [](double) { return 1; }, 300);
  Check(
      Ask("count(m and on (i) (m > time()))", 0, 200), 0, [](double step) { return 299 - step; },
      200);
  Check(
      Ask("count(m unless on (i) (m > time()))", 0, 200), 0, [](double step) { return step + 1; },
      200);
}

INSTANTIATE_TEST_SUITE_P(Threads, WideQueriesTest, ::testing::Values(size_t{1}, size_t{4}));

}  // namespace
}  // namespace lockstep::engine
