// Several threads return the same result as one, and nothing is read twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "absl/strings/str_format.h"
#include "query/engine/engine.h"
#include "tests/memory_storage.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kStepMs = 60'000;
constexpr int kSeries = 500;

class ParallelEngineTest : public ::testing::Test {
 protected:
  ParallelEngineTest() {
    for (int i = 0; i < kSeries; ++i) {
      for (int minute = 0; minute < 10; ++minute) {
        const double value = i % 7 == 0 && minute == 5 ? 0 : i + minute * 0.1;
        storage_.Append(LabelsOf(i), minute * kStepMs, value);
      }
    }
  }

  static LabelSet LabelsOf(int i) {
    // One series in fifty does not have a counter's name and causes an info.
    const std::string name = i % 50 == 49 ? absl::StrFormat("gauge_%d", i) : "m_total";
    return LabelSet::Of(
        {{"__name__", name}, {"i", std::to_string(i)}, {"half", i < kSeries / 2 ? "a" : "b"}});
  }

  absl::StatusOr<QueryResult> Ask(const Engine& engine, std::string_view text) {
    QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
    RangeQuery query;
    query.text = text;
    query.start_ms = kStepMs;
    query.end_ms = 9 * kStepMs;
    query.step_ms = kStepMs;
    return engine.Execute(query, budget);
  }

  // The whole result, bit for bit.
  std::string Answer(const Engine& engine, std::string_view text) {
    const absl::StatusOr<QueryResult> result = Ask(engine, text);
    if (!result.ok()) return result.status().ToString();
    std::string all;
    for (const MatrixSeries& series : std::get<MatrixResult>(result->value)) {
      all += series.labels.ToString();
      for (const double value : series.samples.values) {
        absl::StrAppendFormat(&all, " %x", std::bit_cast<uint64_t>(value));
      }
      all += "\n";
    }
    for (const std::string& info : result->annotations.infos) all += info + "\n";
    return all + absl::StrFormat("%d samples", result->stats.total_samples);
  }

  MemoryStorage storage_;
  Engine alone_{storage_, EngineOptions{.threads = 1}};
  Engine together_{storage_, EngineOptions{.threads = 4}};
};

TEST_F(ParallelEngineTest, AnswersAreTheSame) {
  for (const std::string_view text :
       {R"({i=~".+"})", R"(rate({i=~".+"}[3m]))", R"(sum by (half) (rate({i=~".+"}[3m])))",
        R"(max_over_time(rate({i=~".+"}[2m])[4m:1m]))", R"(quantile_over_time(2, m_total[3m]))",
        R"(timestamp(m_total))", R"(m_total / on (i) (m_total + on (i) m_total))",
        R"(rate(m_total[3m]) / rate(m_total[3m]))"}) {
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(Answer(together_, text), Answer(alone_, text)) << text;
    }
  }
}

TEST_F(ParallelEngineTest, TheFirstErrorIsTheOneOfOneThread) {
  for (const std::string_view text : {R"(double_exponential_smoothing({i=~".+"}[3m], 2, 2))",
                                      R"(sum_over_time({i=~".+"}[1000000h]))"}) {
    EXPECT_EQ(Answer(together_, text), Answer(alone_, text)) << text;
  }
}

TEST_F(ParallelEngineTest, ABudgetThatIsTooSmallIsAnError) {
  QueryBudget budget(500, QueryBudget::Clock::time_point::max());
  RangeQuery query;
  query.text = "m_total";
  query.end_ms = 9 * kStepMs;
  query.step_ms = kStepMs;
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(together_.Execute(query, budget).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  // Everything was released.
  EXPECT_TRUE(budget.Charge(500).ok());
}

TEST_F(ParallelEngineTest, WhatIsReadTwiceIsReadOnce) {
  const auto once = Ask(together_, "m_total");
  const auto often = Ask(together_, "m_total / (m_total + m_total)");
  ASSERT_TRUE(once.ok() && often.ok());
  EXPECT_EQ(often->stats.series_count, once->stats.series_count);
  EXPECT_EQ(often->stats.total_samples, 3 * once->stats.total_samples);
}

TEST_F(ParallelEngineTest, TheLastPlaceHasTheAnnotation) {
  const auto result = Ask(together_, "rate(gauge_49[3m]) / rate(gauge_49[3m])");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->annotations.infos, ElementsAre(HasSubstr("(1:27)")));
  const auto thrice =
      Ask(together_, "rate(gauge_49[3m]) / rate(gauge_49[3m]) / rate(gauge_49[3m])");
  ASSERT_TRUE(thrice.ok()) << thrice.status();
  EXPECT_THAT(thrice->annotations.infos, ElementsAre(HasSubstr("(1:48)")));
}

TEST_F(ParallelEngineTest, TheSameSelectorAtOtherStepsIsAnother) {
  const std::string_view text = "sum(m_total) + sum(sum_over_time(m_total[3m:30s])) + sum(m_total)";
  const auto result = Ask(together_, text);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& matrix = std::get<MatrixResult>(result->value);
  const auto sum = Ask(alone_, "sum(m_total)");
  const auto subquery = Ask(alone_, "sum(sum_over_time(m_total[3m:30s]))");
  ASSERT_TRUE(sum.ok() && subquery.ok());
  const auto value = [](const QueryResult& of, size_t step) {
    return std::get<MatrixResult>(of.value)[0].samples.values[step];
  };
  for (size_t step = 0; step < matrix[0].samples.values.size(); ++step) {
    EXPECT_EQ(value(*result, step), value(*sum, step) + value(*subquery, step) + value(*sum, step));
  }
}

}  // namespace
}  // namespace lockstep::engine
