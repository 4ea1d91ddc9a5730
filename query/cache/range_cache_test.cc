#include "query/cache/range_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/float_format.h"
#include "tests/memory_storage.h"

namespace lockstep::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kStepMs = 60'000;
constexpr int64_t kLookbackMs = 90'000;

// A storage in memory that can call a function before it creates a querier, and can say which times
// have not changed.
class WatchedStorage : public MemoryStorage {
 public:
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    if (before_next_querier) std::exchange(before_next_querier, nullptr)();
    return MemoryStorage::NewQuerier();
  }
  TimeRange UnchangedSince(uint64_t count) const override {
    return unchanged.value_or(MemoryStorage::UnchangedSince(count));
  }

  mutable std::function<void()> before_next_querier;
  std::optional<TimeRange> unchanged;
};

// name{labels} value@step ... {count}@step ..., or the error.
std::vector<std::string> LinesOf(const absl::StatusOr<engine::QueryResult>& result) {
  if (!result.ok()) return {result.status().ToString()};
  std::vector<std::string> lines;
  for (const engine::MatrixSeries& series : std::get<engine::MatrixResult>(result->value)) {
    std::string line = series.labels.ToString();
    for (size_t i = 0; i < series.samples.values.size(); ++i) {
      line += " " + FormatSampleValue(series.samples.values[i]) + "@" +
              std::to_string(series.samples.timestamps_ms[i] / kStepMs);
    }
    for (const HistogramSample& sample : series.samples.histograms) {
      line += " {" + FormatSampleValue(sample.histogram->count) + "}@" +
              std::to_string(sample.timestamp_ms / kStepMs);
    }
    lines.push_back(line);
  }
  return lines;
}

class RangeCacheTest : public ::testing::Test {
 protected:
  // One sample at each step from the first on.
  void Load(std::initializer_list<LabelView> labels, const std::vector<double>& values,
            int64_t first_step = 0) {
    int64_t time_ms = first_step * kStepMs;
    for (const double value : values) {
      storage_.Append(LabelSet::Of(labels), time_ms, value);
      time_ms += kStepMs;
    }
  }

  static engine::RangeQuery Query(std::string_view text, int64_t first_step, int64_t last_step) {
    engine::RangeQuery query;
    query.text = text;
    query.start_ms = first_step * kStepMs;
    query.end_ms = last_step * kStepMs;
    query.step_ms = kStepMs;
    return query;
  }

  absl::StatusOr<engine::QueryResult> Ask(const engine::RangeQuery& query) {
    return cache_.Execute(query, budget_);
  }
  std::vector<std::string> Ask(std::string_view text, int64_t first_step, int64_t last_step) {
    return LinesOf(Ask(Query(text, first_step, last_step)));
  }

  // How many steps a query did not evaluate.
  uint64_t KnownSteps(const engine::RangeQuery& query) {
    const uint64_t before = cache_.stats().known_step_count;
    const auto result = Ask(query);
    EXPECT_EQ(LinesOf(result), LinesOf(engine_.Execute(query, budget_)));
    return cache_.stats().known_step_count - before;
  }
  uint64_t KnownSteps(std::string_view text, int64_t first_step, int64_t last_step) {
    return KnownSteps(Query(text, first_step, last_step));
  }

  WatchedStorage storage_;
  engine::Engine engine_{storage_, {.lookback_ms = kLookbackMs, .threads = 1}};
  RangeCache cache_{engine_, storage_, size_t{1} << 20};
  QueryBudget budget_{1'000'000, QueryBudget::Clock::time_point::max()};
};

TEST_F(RangeCacheTest, TheSameQueryIsEvaluatedOnce) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4});
  EXPECT_THAT(Ask("m", 0, 3), ElementsAre("m 1@0 2@1 3@2 4@3"));
  RangeCacheStats stats = cache_.stats();
  EXPECT_EQ(stats.miss_count, 1u);
  EXPECT_EQ(stats.hit_count, 0u);
  EXPECT_EQ(stats.known_step_count, 0u);
  EXPECT_EQ(stats.kept.entry_count, 1u);
  const auto again = Ask(Query("m", 0, 3));
  EXPECT_THAT(LinesOf(again), ElementsAre("m 1@0 2@1 3@2 4@3"));
  EXPECT_EQ(again->stats.total_samples, 0);
  stats = cache_.stats();
  EXPECT_EQ(stats.miss_count, 1u);
  EXPECT_EQ(stats.hit_count, 1u);
  EXPECT_EQ(stats.known_step_count, 4u);
}

TEST_F(RangeCacheTest, OnlyNewStepsAreEvaluated) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m", 0, 3);
  const auto later = Ask(Query("m", 1, 5));
  EXPECT_THAT(LinesOf(later), ElementsAre("m 2@1 3@2 4@3 5@4 6@5"));
  EXPECT_EQ(later->stats.total_samples, 2);
  EXPECT_EQ(cache_.stats().known_step_count, 3u);
  // The longer answer was kept.
  EXPECT_EQ(KnownSteps("m", 2, 5), 4u);
}

TEST_F(RangeCacheTest, AShorterQueryDoesNotReplaceALongerOne) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m", 0, 5);
  EXPECT_EQ(KnownSteps("m", 1, 3), 3u);
  EXPECT_EQ(KnownSteps("m", 0, 5), 6u);
}

TEST_F(RangeCacheTest, StepsBeforeTheKeptOnesAreEvaluated) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m", 2, 4);
  EXPECT_EQ(KnownSteps("m", 1, 4), 0u);
  EXPECT_EQ(KnownSteps("m", 1, 4), 4u);
  EXPECT_EQ(KnownSteps("m", 5, 5), 0u);
}

// A query's last step need not be at its end.
TEST_F(RangeCacheTest, TheEndNeedNotBeAStep) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  engine::RangeQuery query = Query("m", 0, 3);
  query.end_ms += kStepMs - 1;
  EXPECT_EQ(KnownSteps(query), 0u);
  EXPECT_EQ(KnownSteps(query), 4u);
  query.end_ms += 1;
  EXPECT_EQ(KnownSteps(query), 4u);
  EXPECT_EQ(KnownSteps(query), 5u);
}

TEST_F(RangeCacheTest, StepsBeforeTheEpochAreLikeOthers) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6}, -3);
  engine::RangeQuery query = Query("m", -3, 1);
  query.start_ms += 10'000;
  query.end_ms += 10'000;
  EXPECT_EQ(KnownSteps(query), 0u);
  query.start_ms += 4 * kStepMs;
  query.end_ms += kStepMs;
  EXPECT_EQ(KnownSteps(query), 1u);
}

TEST_F(RangeCacheTest, QueriesThatDifferShareNothing) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m", 0, 5);
  engine::RangeQuery shifted = Query("m", 0, 5);
  shifted.start_ms += 1;
  EXPECT_EQ(KnownSteps(shifted), 0u);
  engine::RangeQuery finer = Query("m", 0, 5);
  finer.step_ms /= 2;
  EXPECT_EQ(KnownSteps(finer), 0u);
  EXPECT_EQ(KnownSteps("(m)", 0, 5), 0u);
  engine::RangeQuery farther = Query("m", 0, 5);
  farther.lookback_ms = 2 * kLookbackMs;
  EXPECT_EQ(KnownSteps(farther), 0u);
  // This is the engine's own.
  engine::RangeQuery same = Query("m", 0, 5);
  same.lookback_ms = kLookbackMs;
  EXPECT_EQ(KnownSteps(same), 6u);
}

// Reductions are of the samples since the step before, however old the lookback lets them be.
TEST_F(RangeCacheTest, ReducedQueriesAreKeptLikeOthers) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  const auto reduced = [](std::string_view text, engine::Reduction reduction) {
    engine::RangeQuery query = Query(text, 0, 5);
    query.reductions = {reduction};
    query.resolution_ms = kStepMs / 2;
    return query;
  };
  for (const char* text : {"m", "sum(m)"}) {
    const engine::RangeQuery max = reduced(text, engine::Reduction::kMax);
    EXPECT_EQ(KnownSteps(max), 0u) << text;
    EXPECT_EQ(KnownSteps(max), 6u) << text;
    EXPECT_EQ(LinesOf(Ask(max)), LinesOf(engine_.Execute(max, budget_))) << text;
    EXPECT_EQ(KnownSteps(reduced(text, engine::Reduction::kMin)), 0u) << text;
    EXPECT_EQ(KnownSteps(Query(text, 0, 5)), 0u) << text;
    engine::RangeQuery finer = max;
    finer.resolution_ms /= 2;
    EXPECT_EQ(KnownSteps(finer), 0u) << text;
  }
  // A late sample changes its bin.
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 3 * kStepMs - 1, 99);
  EXPECT_THAT(LinesOf(Ask(reduced("m", engine::Reduction::kMax))),
              ElementsAre("m{__reduce__=\"max\"} 1@0 2@1 3@2 99@3 5@4 6@5"));
}

TEST_F(RangeCacheTest, WhatIsInspectedIsEvaluatedInFull) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4});
  Ask("m", 0, 3);
  engine::RangeQuery query = Query("m", 0, 3);
  query.options.fresh = true;
  EXPECT_EQ(Ask(query)->stats.total_samples, 4);
  query.options = {.counts_per_step = true};
  EXPECT_THAT(Ask(query)->stats.samples_per_step, ElementsAre(1, 1, 1, 1));
  query.options = {.plan = true};
  EXPECT_TRUE(Ask(query)->plan.has_value());
  // They are not counted either.
  EXPECT_EQ(cache_.stats().hit_count + cache_.stats().miss_count, 1u);
}

TEST_F(RangeCacheTest, WithoutMemoryNothingIsKept) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4});
  RangeCache off(engine_, storage_, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(off.Execute(Query("m", 0, 3), budget_)->stats.total_samples, 4);
  }
  EXPECT_EQ(off.stats().hit_count + off.stats().miss_count, 0u);
}

TEST_F(RangeCacheTest, QueriesWhoseStepsDependOnOthersAreNotKept) {
  storage_.Append(LabelSet::Of({{"__name__", "h"}}), 0, std::make_shared<const Histogram>());
  for (const char* text : {"m @ end()", "topk(1, m)", "histogram_count(h)"}) {
    Ask(text, 0, 3);
    EXPECT_EQ(KnownSteps(text, 0, 3), 0u) << text;
  }
  EXPECT_EQ(cache_.stats().miss_count, 0u);
  EXPECT_EQ(cache_.stats().kept.entry_count, 0u);
}

TEST_F(RangeCacheTest, AnswersWithAnnotationsAreNotKept) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4});
  // The first has an info, the second a warning.
  for (const char* text : {"rate(m[2m])", "quantile(2, m)"}) {
    Ask(text, 0, 3);
    EXPECT_EQ(KnownSteps(text, 0, 3), 0u) << text;
  }
  EXPECT_EQ(cache_.stats().miss_count, 4u);
  EXPECT_EQ(cache_.stats().kept.entry_count, 0u);
}

TEST_F(RangeCacheTest, AQueryWithoutStepsIsNotKept) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4});
  EXPECT_THAT(Ask("m", 3, 2), IsEmpty());
  EXPECT_EQ(cache_.stats().kept.entry_count, 0u);
  // One that begins where another ended.
  Ask("m", 0, 1);
  EXPECT_EQ(KnownSteps("m", 1, 1), 1u);
}

TEST_F(RangeCacheTest, ErrorsAreThoseOfTheEngine) {
  EXPECT_EQ(Ask(Query("m +", 0, 1)).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Ask(Query("m[1m]", 0, 1)).status().code(), absl::StatusCode::kInvalidArgument);
  engine::RangeQuery query = Query("m", 0, 1);
  query.step_ms = 0;
  EXPECT_EQ(Ask(query).status().message(), "step of a range query must be above zero");
}

TEST_F(RangeCacheTest, StepsThatSeeAChangedSampleAreEvaluatedAgain) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m", 0, 5);
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 3 * kStepMs, 40);
  EXPECT_EQ(KnownSteps("m", 0, 5), 3u);
  EXPECT_THAT(Ask("m", 0, 5), ElementsAre("m 1@0 2@1 3@2 40@3 5@4 6@5"));
  // A millisecond after a step, it matters to the next one only.
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 3 * kStepMs + 1, 41);
  EXPECT_EQ(KnownSteps("m", 0, 5), 4u);
  // A sample at the first step leaves none.
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 0, 10);
  EXPECT_EQ(KnownSteps("m", 0, 5), 0u);
}

TEST_F(RangeCacheTest, StepsThatLookAheadDependOnLaterSamples) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m offset -1m", 0, 4);
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 3 * kStepMs, 40);
  EXPECT_EQ(KnownSteps("m offset -1m", 0, 4), 2u);
  Ask("m offset 1m", 0, 5);
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 3 * kStepMs, 41);
  EXPECT_EQ(KnownSteps("m offset 1m", 0, 5), 4u);
}

TEST_F(RangeCacheTest, StepsThatLookBackBeyondWhatIsKeptAreEvaluatedAgain) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m", 0, 5);
  const int64_t forever_ms = std::numeric_limits<int64_t>::max();
  storage_.unchanged = TimeRange{2 * kStepMs - kLookbackMs, forever_ms};
  EXPECT_EQ(KnownSteps("m", 2, 5), 4u);
  storage_.unchanged = TimeRange{2 * kStepMs - kLookbackMs + 1, forever_ms};
  EXPECT_EQ(KnownSteps("m", 2, 5), 0u);
  EXPECT_EQ(KnownSteps("m", 3, 5), 3u);
  storage_.unchanged = TimeRange{0, -1};
  EXPECT_EQ(KnownSteps("m", 4, 5), 0u);
}

TEST_F(RangeCacheTest, SeriesComeAndGo) {
  Load({{"__name__", "m"}, {"i", "a"}}, {1, 2});
  Load({{"__name__", "m"}, {"i", "b"}}, {7, 8, 9}, 4);
  Load({{"__name__", "m"}, {"i", "c"}}, {1, 2, 3, 4, 5, 6, 7});
  Load({{"__name__", "m"}, {"i", "d"}}, {5});
  Load({{"__name__", "m"}, {"i", "e"}}, {6}, 6);
  const std::string c = "m{i=\"c\"} 1@0 2@1 3@2 4@3";
  EXPECT_THAT(Ask("m", 0, 3), ElementsAre("m{i=\"a\"} 1@0 2@1 2@2", c, "m{i=\"d\"} 5@0 5@1"));
  EXPECT_THAT(Ask("m", 0, 6),
              ElementsAre("m{i=\"a\"} 1@0 2@1 2@2", "m{i=\"b\"} 7@4 8@5 9@6", c + " 5@4 6@5 7@6",
                          "m{i=\"d\"} 5@0 5@1", "m{i=\"e\"} 6@6"));
  EXPECT_EQ(cache_.stats().known_step_count, 4u);
  // Without those that have no sample at these steps.
  EXPECT_THAT(Ask("m", 3, 5), ElementsAre("m{i=\"b\"} 7@4 8@5", "m{i=\"c\"} 4@3 5@4 6@5"));
  EXPECT_EQ(cache_.stats().known_step_count, 7u);
}

TEST_F(RangeCacheTest, HistogramsAreKept) {
  for (int i = 0; i < 6; ++i) {
    auto histogram = std::make_shared<Histogram>();
    histogram->count = histogram->zero_count = i + 1;
    storage_.Append(LabelSet::Of({{"__name__", "h"}}), i * kStepMs, std::move(histogram));
  }
  Ask("h", 0, 3);
  EXPECT_THAT(Ask("h", 1, 2), ElementsAre("h {2}@1 {3}@2"));
  EXPECT_THAT(Ask("h", 1, 5), ElementsAre("h {2}@1 {3}@2 {4}@3 {5}@4 {6}@5"));
  EXPECT_EQ(cache_.stats().known_step_count, 5u);
}

// All steps are of one moment, even if a sample arrives while the new ones are evaluated.
TEST_F(RangeCacheTest, AChangeDuringTheEvaluationIsSeenAtAllSteps) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  Ask("m", 0, 3);
  storage_.before_next_querier = [this] {
    storage_.Append(LabelSet::Of({{"__name__", "m"}}), kStepMs, 20);
  };
  EXPECT_THAT(Ask("m", 0, 5), ElementsAre("m 1@0 20@1 3@2 4@3 5@4 6@5"));
  EXPECT_EQ(cache_.stats().hit_count, 1u);
  // What was kept before is still known as far as it is true.
  EXPECT_EQ(KnownSteps("m", 0, 5), 1u);
}

// What changes while the kept steps are made is not known later.
TEST_F(RangeCacheTest, AChangeDuringTheFirstEvaluationIsNotForgotten) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  storage_.before_next_querier = [this] {
    storage_.Append(LabelSet::Of({{"__name__", "m"}}), 2 * kStepMs, 30);
  };
  EXPECT_THAT(Ask("m", 0, 3), ElementsAre("m 1@0 2@1 30@2 4@3"));
  EXPECT_EQ(KnownSteps("m", 0, 3), 2u);
}

TEST_F(RangeCacheTest, KnownStepsAreChargedWhileTheRestIsEvaluated) {
  Load({{"__name__", "m"}}, std::vector<double>(200, 1));
  Ask("m", 0, 99);
  QueryBudget small(99, QueryBudget::Clock::time_point::max());
  EXPECT_EQ(cache_.Execute(Query("m", 0, 99), small).status().code(),
            absl::StatusCode::kResourceExhausted);
  QueryBudget enough(100, QueryBudget::Clock::time_point::max());
  EXPECT_TRUE(cache_.Execute(Query("m", 0, 99), enough).ok());
  // Then there is no room for another hundred.
  EXPECT_EQ(cache_.Execute(Query("m", 0, 199), enough).status().code(),
            absl::StatusCode::kResourceExhausted);
  // All was given back.
  EXPECT_TRUE(enough.Charge(100).ok());
}

TEST_F(RangeCacheTest, ViewsThatShareMemoryShareNoAnswers) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4});
  MemoryStorage other_storage;
  const engine::Engine other_engine(other_storage, engine_);
  RangeCache other(other_engine, other_storage, "other", cache_);
  RangeCache same(engine_, storage_, "", cache_);
  EXPECT_THAT(Ask("m", 0, 3), SizeIs(1));
  EXPECT_THAT(LinesOf(other.Execute(Query("m", 0, 3), budget_)), IsEmpty());
  EXPECT_EQ(other.stats().miss_count, 1u);
  EXPECT_EQ(other.stats().kept.entry_count, 2u);
  EXPECT_THAT(LinesOf(same.Execute(Query("m", 0, 3), budget_)), SizeIs(1));
  EXPECT_EQ(same.stats().hit_count, 1u);
}

}  // namespace
}  // namespace lockstep::cache
