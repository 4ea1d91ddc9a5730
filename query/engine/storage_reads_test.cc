// What the engine asks of its store, how often, and that it stops when the query is cancelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// One call of Querier::Select().
struct Asked {
  TimeRange range;
  SamplesNeeded needed = SamplesNeeded::kAll;
  StepTimes steps{};
};

// A memory storage that notes what is selected from it, and that can cancel a query when it has
// handed out the last series of a number of selections.
class ObservedStorage : public MemoryStorage {
 public:
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    auto querier = MemoryStorage::NewQuerier();
    if (!querier.ok()) return querier.status();
    return std::make_unique<ObservedQuerier>(*this, *std::move(querier));
  }

  mutable std::vector<Asked> asked;
  mutable int selections_until_cancel = -1;
  QueryBudget* budget = nullptr;

 private:
  class ObservedSet : public SeriesSet {
   public:
    ObservedSet(const ObservedStorage& storage, std::unique_ptr<SeriesSet> set)
        : storage_(storage), set_(std::move(set)) {}
    size_t size() const override { return set_->size(); }
    std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override {
      return set_->Split(max_parts);
    }
    bool Next() override {
      const bool more = set_->Next();
      if (!more && --storage_.selections_until_cancel == 0) storage_.budget->Cancel();
      return more;
    }
    size_t position() const override { return set_->position(); }
    const LabelSet& labels() const override { return set_->labels(); }
    absl::Status Read(SampleColumns& columns) override { return set_->Read(columns); }
    absl::Status status() const override { return set_->status(); }

   private:
    const ObservedStorage& storage_;
    std::unique_ptr<SeriesSet> set_;
  };

  class ObservedQuerier : public Querier {
   public:
    ObservedQuerier(const ObservedStorage& storage, std::unique_ptr<Querier> querier)
        : storage_(storage), querier_(std::move(querier)) {}
    absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
      storage_.asked.push_back({selection.range, selection.needed, selection.steps});
      auto set = querier_->Select(selection);
      if (!set.ok()) return set.status();
      return std::make_unique<ObservedSet>(storage_, *std::move(set));
    }
    absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
      return querier_->LabelNames(selection);
    }
    absl::StatusOr<std::vector<std::string>> LabelValues(
        std::string_view name, const Selection& selection) const override {
      return querier_->LabelValues(name, selection);
    }

   private:
    const ObservedStorage& storage_;
    const std::unique_ptr<Querier> querier_;
  };
};

class StorageReadsTest : public ::testing::Test {
 protected:
  StorageReadsTest() {
    for (int minute = 0; minute < 20; ++minute) {
      storage_.Append(LabelSet::Of({{"__name__", "m"}, {"job", "a"}}), minute * kMinute, minute);
      storage_.Append(LabelSet::Of({{"__name__", "n"}, {"job", "a"}}), minute * kMinute, 2);
      storage_.Append(LabelSet::Of({{"__name__", "target_info"}, {"job", "a"}, {"v", "1"}}),
                      minute * kMinute, 1);
      for (const char* le : {"1", "+Inf"}) {
        storage_.Append(LabelSet::Of({{"__name__", "b"}, {"le", le}}), minute * kMinute, 5);
      }
      storage_.Append(LabelSet::Of({{"__name__", "h"}}), minute * kMinute,
                      std::make_shared<const Histogram>());
    }
  }

  absl::StatusOr<QueryResult> Instant(std::string_view text, int64_t time_ms = 15 * kMinute) {
    InstantQuery query;
    query.text = text;
    query.time_ms = time_ms;
    return engine_.Execute(query, Unlimited());
  }
  absl::StatusOr<QueryResult> Range(std::string_view text, QueryBudget& budget = Unlimited()) {
    RangeQuery query;
    query.text = text;
    query.start_ms = 10 * kMinute;
    query.end_ms = 15 * kMinute;
    query.step_ms = kMinute;
    return engine_.Execute(query, budget);
  }

  // How often a range query reads from the store.
  size_t ReadCount(std::string_view text) {
    storage_.asked.clear();
    const auto result = Range(text);
    EXPECT_TRUE(result.ok()) << text << ": " << result.status();
    return storage_.asked.size();
  }

  // "FROM TO" in seconds after that of the first read, left-open, of an instant query.
  std::string RangeRead(std::string_view text) {
    storage_.asked.clear();
    const auto result = Instant(text);
    if (!result.ok()) return std::string(Message(result.status()));
    if (storage_.asked.empty()) return "nothing";
    const TimeRange& range = storage_.asked[0].range;
    EXPECT_EQ((range.min_ms - 1) % 1000, 0);
    EXPECT_EQ(range.max_ms % 1000, 0);
    return std::to_string((range.min_ms - 1) / 1000) + " " + std::to_string(range.max_ms / 1000);
  }

  SamplesNeeded NeededAtOnce(std::string_view text, int64_t time_ms) {
    storage_.asked.clear();
    EXPECT_TRUE(Instant(text, time_ms).ok()) << text;
    return storage_.asked.at(0).needed;
  }

  ObservedStorage storage_;
  Engine engine_{storage_, EngineOptions{.threads = 1}};
};

// At 900 s, with a lookback of 300 s.
TEST_F(StorageReadsTest, OnlyTheRangeThatMattersIsRead) {
  EXPECT_EQ(RangeRead("m"), "600 900");
  EXPECT_EQ(RangeRead("m offset 2m"), "480 780");
  EXPECT_EQ(RangeRead("m offset -2m"), "720 1020");
  EXPECT_EQ(RangeRead("m @ 500"), "200 500");
  EXPECT_EQ(RangeRead("m @ 500 offset 1m"), "140 440");
  EXPECT_EQ(RangeRead("m[2m]"), "780 900");
  EXPECT_EQ(RangeRead("rate(m[2m] offset 1m)"), "720 840");
  EXPECT_EQ(RangeRead("rate(m[2m] anchored)"), "480 900");
  EXPECT_EQ(RangeRead("rate(m[2m] smoothed)"), "480 1200");
  EXPECT_EQ(RangeRead("m smoothed"), "600 1200");
  EXPECT_EQ(RangeRead("timestamp(m)"), "600 900");
  EXPECT_EQ(RangeRead("start_timestamp(m)"), "600 900");
  EXPECT_EQ(RangeRead("default_rollup(m[10m])"), "300 900");
  EXPECT_EQ(RangeRead("increase_pure(m[1m])"), "540 900");
  // Steps of a subquery at 780 and later, without the one at its beginning.
  EXPECT_EQ(RangeRead("max_over_time(m[3m:1m])"), "480 900");
  EXPECT_EQ(RangeRead("max_over_time(m[3m:1m] offset 1m)"), "420 840");
  EXPECT_EQ(RangeRead("max_over_time(m[170s:1m])"), "480 900");
  EXPECT_EQ(RangeRead("max_over_time(m[179s:1m] offset 1s)"), "480 840");
}

TEST_F(StorageReadsTest, EqualPartsAreReadOnce) {
  EXPECT_EQ(ReadCount("m"), 1u);
  EXPECT_EQ(ReadCount("m + m"), 1u);
  EXPECT_EQ(ReadCount("m + n"), 2u);
  EXPECT_EQ(ReadCount("m + m offset 1m"), 2u);
  EXPECT_EQ(ReadCount("m + m + m + n"), 2u);
  EXPECT_EQ(ReadCount("sum(m) / count(m)"), 1u);
  EXPECT_EQ(ReadCount("-m + (m)"), 1u);
  EXPECT_EQ(ReadCount("abs(m) + ceil(m)"), 1u);
  EXPECT_EQ(ReadCount("topk(scalar(m), m)"), 1u);
  // What reads a range is shared as a whole.
  EXPECT_EQ(ReadCount("avg_over_time(m[5m]) / avg_over_time(m[5m])"), 1u);
  EXPECT_EQ(ReadCount("avg_over_time(m[5m]) / sum_over_time(m[5m])"), 2u);
  EXPECT_EQ(ReadCount("avg_over_time(m[5m]) / avg_over_time(m[6m])"), 2u);
  // At other steps the same text means something else.
  EXPECT_EQ(ReadCount("m + max_over_time(m[3m:30s])"), 2u);
  EXPECT_EQ(ReadCount("max_over_time(m[3m:30s]) + min_over_time(m[3m:30s])"), 1u);
}

// Unless there is an annotation, which belongs to each place.
TEST_F(StorageReadsTest, PartsWithAnnotationsAreReadAgain) {
  EXPECT_EQ(ReadCount("quantile_over_time(2, m[5m]) + quantile_over_time(2, m[5m])"), 2u);
  EXPECT_EQ(ReadCount("quantile_over_time(1, m[5m]) + quantile_over_time(1, m[5m])"), 1u);
}

// Where the buckets of some histograms are not needed, the same text does not mean the same.
TEST_F(StorageReadsTest, HistogramsWithoutBucketsAreNotShared) {
  EXPECT_EQ(ReadCount("histogram_count(h) + histogram_quantile(0.5, h)"), 2u);
}

TEST_F(StorageReadsTest, WhatIsPinnedIsReadOnceForAllSteps) {
  storage_.asked.clear();
  ASSERT_TRUE(Range("m @ 300").ok());
  ASSERT_THAT(storage_.asked, SizeIs(1));
  EXPECT_EQ(storage_.asked[0].range.min_ms, 1);
  EXPECT_EQ(storage_.asked[0].range.max_ms, 5 * kMinute);
}

TEST_F(StorageReadsTest, WithoutStepsNothingIsRead) {
  EXPECT_EQ(RangeRead("max_over_time(m[10s:1m] offset 5s)"), "nothing");
  EXPECT_EQ(RangeRead("1 + 2"), "nothing");
}

TEST_F(StorageReadsTest, SelectorsNeedTheNewestSample) {
  EXPECT_EQ(NeededAtOnce("m", 15 * kMinute), SamplesNeeded::kNewest);
  EXPECT_EQ(NeededAtOnce("m smoothed", 15 * kMinute), SamplesNeeded::kAll);
  EXPECT_EQ(NeededAtOnce("timestamp(m)", 15 * kMinute), SamplesNeeded::kAll);
  EXPECT_EQ(NeededAtOnce("histogram_count(m)", 15 * kMinute), SamplesNeeded::kAll);
}

// Of a range query, each step needs one.
TEST_F(StorageReadsTest, SelectorsSayAtWhichSteps) {
  const auto asked = [&](std::string_view text) {
    storage_.asked.clear();
    EXPECT_TRUE(Range(text).ok()) << text;
    return storage_.asked.at(0);
  };
  EXPECT_EQ(asked("m").steps, (StepTimes{10 * kMinute, kMinute}));
  EXPECT_EQ(asked("m").needed, SamplesNeeded::kNewest);
  EXPECT_EQ(asked("m offset 90s").steps, (StepTimes{10 * kMinute - 90'000, kMinute}));
  for (const char* text :
       {"m @ 0", "m smoothed", "timestamp(m)", "rate(m[5m])", "histogram_count(m)"}) {
    EXPECT_TRUE(asked(text).steps.empty()) << text;
  }
  storage_.asked.clear();
  ASSERT_TRUE(Instant("m").ok());
  EXPECT_TRUE(storage_.asked.at(0).steps.empty());
}

// Distances between such times do not fit 64 bits.
TEST_F(StorageReadsTest, StepsThatAreFarAwayNeedAllSamples) {
  const int64_t far_ms = int64_t{1} << 60;
  const auto asked = [&](int64_t start_ms, int64_t end_ms) {
    storage_.asked.clear();
    RangeQuery query;
    query.text = "m";
    query.start_ms = start_ms;
    query.end_ms = end_ms;
    query.step_ms = end_ms - start_ms;
    EXPECT_TRUE(engine_.Execute(query, Unlimited()).ok());
    return storage_.asked.at(0);
  };
  EXPECT_EQ(asked(0, far_ms).needed, SamplesNeeded::kNewest);
  EXPECT_EQ(asked(-far_ms, 0).needed, SamplesNeeded::kNewest);
  EXPECT_EQ(asked(0, far_ms + 1).needed, SamplesNeeded::kAll);
  EXPECT_TRUE(asked(0, far_ms + 1).steps.empty());
  EXPECT_EQ(asked(-far_ms - 1, 0).needed, SamplesNeeded::kAll);
}

TEST_F(StorageReadsTest, DurationsAreCheckedBeforeAnythingIsRead) {
  for (const char* text :
       {"n + sum(rate(m[5m - 5m]))", "topk(scalar(rate(m[5m - 5m])), m)", "n + -rate(m[5m - 5m])",
        "n + (rate(m[5m - 5m]))", "rate(m[5m - 5m]) + n",
        "n + max_over_time(rate(m[5m - 5m])[5m:])", "n + max_over_time(m[5m:5m - 5m])",
        "n + max_over_time(m[5m - 5m:])", "n + clamp(n, 0, scalar(rate(m[5m - 5m])))"}) {
    storage_.asked.clear();
    EXPECT_THAT(std::string(Message(Instant(text).status())),
                testing::HasSubstr(": duration must be greater than 0"))
        << text;
    EXPECT_TRUE(storage_.asked.empty()) << text;
  }
  for (const char* text :
       {"n + m offset (1 / (5m - 300))", "n + rate(m[5m] offset (1 / (5m - 300)))",
        "n + max_over_time(m[5m:1m] offset (1 / (5m - 300)))"}) {
    storage_.asked.clear();
    EXPECT_THAT(std::string(Message(Instant(text).status())),
                testing::HasSubstr("division by zero"))
        << text;
    EXPECT_TRUE(storage_.asked.empty()) << text;
  }
}

TEST_F(StorageReadsTest, DurationsAreComputed) {
  // The length of a range in seconds.
  const auto length = [&](const std::string& duration) {
    storage_.asked.clear();
    const auto result = Instant("count_over_time(m[" + duration + "])");
    if (!result.ok()) return std::string(Message(result.status()));
    const TimeRange& range = storage_.asked.at(0).range;
    return std::to_string((range.max_ms - range.min_ms + 1) / 1000);
  };
  EXPECT_EQ(length("1m + 30"), "90");
  EXPECT_EQ(length("5m - 30s"), "270");
  EXPECT_EQ(length("2m * 3"), "360");
  EXPECT_EQ(length("2m / 3"), "40");
  EXPECT_EQ(length("7m % 4m"), "180");
  EXPECT_EQ(length("2 ^ 3 ^ 2"), "512");
  EXPECT_EQ(length("-(1m - 3m)"), "120");
  EXPECT_EQ(length("min_of(2m, 90)"), "90");
  EXPECT_EQ(length("max_of(2m, 90)"), "120");
  EXPECT_EQ(length("5m % (1m - 60)"), "18:31: modulo by zero");
  EXPECT_EQ(length("step() + 1m"), "60");
  EXPECT_EQ(length("range() + 1m"), "60");
  storage_.asked.clear();
  ASSERT_TRUE(Range("count_over_time(m[range() + step()])").ok());
  // Of five minutes and one, before the first step.
  EXPECT_EQ(storage_.asked.at(0).range.min_ms, 4 * kMinute + 1);
}

// At whole buckets of five minutes, few samples of each are enough.
TEST_F(StorageReadsTest, FunctionsSayWhatTheyNeedOfABucket) {
  const std::pair<const char*, SamplesNeeded> cases[] = {
      {"count_over_time", SamplesNeeded::kCount},
      {"present_over_time", SamplesNeeded::kCount},
      {"min_over_time", SamplesNeeded::kLowest},
      {"max_over_time", SamplesNeeded::kHighest},
      {"first_over_time", SamplesNeeded::kFirst},
      {"ts_of_first_over_time", SamplesNeeded::kFirst},
      {"last_over_time", SamplesNeeded::kLast},
      {"ts_of_last_over_time", SamplesNeeded::kLast},
      {"delta", SamplesNeeded::kEnds},
      {"increase", SamplesNeeded::kEnds},
      {"rate", SamplesNeeded::kEnds},
      {"resets", SamplesNeeded::kEnds},
      {"changes", SamplesNeeded::kAll},
      {"avg_over_time", SamplesNeeded::kAll},
  };
  for (const auto& [function, needed] : cases) {
    const std::string text = std::string(function) + "(m[10m])";
    EXPECT_EQ(NeededAtOnce(text, 15 * kMinute), needed) << text;
    EXPECT_EQ(NeededAtOnce(text, 16 * kMinute), SamplesNeeded::kAll) << text;
  }
}

// Reductions of bins read each series once, or, of whole buckets, only what each of them needs.
TEST_F(StorageReadsTest, ReductionsShareWhatTheyRead) {
  const auto needed = [this](std::vector<Reduction> reductions, int64_t step_ms,
                             std::string_view text) {
    storage_.asked.clear();
    RangeQuery query{.text = text, .start_ms = 0, .end_ms = 30 * kMinute, .step_ms = step_ms};
    query.reductions = std::move(reductions);
    query.resolution_ms = kMinute;
    EXPECT_TRUE(engine_.Execute(query, Unlimited()).ok()) << text;
    std::vector<SamplesNeeded> needs;
    for (const Asked& asked : storage_.asked) needs.push_back(asked.needed);
    return needs;
  };
  const std::vector<Reduction> chart = {Reduction::kCount, Reduction::kMin, Reduction::kMax,
                                        Reduction::kLast};
  EXPECT_THAT(needed(chart, 4 * kMinute, "m"), ElementsAre(SamplesNeeded::kAll));
  EXPECT_THAT(needed(chart, 10 * kMinute, "m"),
              ElementsAre(SamplesNeeded::kLowest, SamplesNeeded::kHighest, SamplesNeeded::kLast));
  EXPECT_THAT(needed({Reduction::kCount}, 10 * kMinute, "m"), ElementsAre(SamplesNeeded::kCount));
  EXPECT_THAT(needed({Reduction::kMin, Reduction::kSum}, 10 * kMinute, "m"),
              ElementsAre(SamplesNeeded::kAll));
  EXPECT_THAT(needed(chart, 10 * kMinute, "sum(m)"), SizeIs(1));
}

// All that may take long after the last series is read notices that the query is cancelled.
TEST_F(StorageReadsTest, ACancelledQueryHasNoAnswer) {
  const std::pair<const char*, int> cases[] = {
      {"sum(m)", 1},
      {"sum(h)", 1},
      {"quantile(0.5, m)", 1},
      {"topk(1, m)", 1},
      {"count_values(\"v\", m)", 1},
      {"m + on (job) n", 2},
      {"m + on (job) group_left () n", 2},
      {"m + fill(0) n", 2},
      {"max_over_time(m[3m:1m])", 1},
      {"m @ 300", 1},
      {"abs(abs(m) + 1) + -time()", 1},
      {"label_replace(m, \"a\", \"b\", \"job\", \"a\")", 1},
      {"label_join(m, \"a\", \",\", \"job\")", 1},
      {"alias(m, \"a\")", 1},
      {"label_del(m, \"job\")", 1},
      {"running_sum(m)", 1},
      {"keep_last_value(m)", 1},
      {"union(m)", 1},
      {"histogram_quantile(0.5, b)", 1},
      {"histogram_quantile(0.5, h)", 1},
      {"histogram_quantiles(h, \"q\", 0.5)", 1},
      {"info(m)", 2},
  };
  for (const auto& [text, selections] : cases) {
    QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
    storage_.budget = &budget;
    storage_.selections_until_cancel = selections + 1;
    const auto whole = Range(text, budget);
    EXPECT_TRUE(whole.ok()) << text << ": " << whole.status();
    EXPECT_EQ(storage_.selections_until_cancel, 1) << text;
    storage_.selections_until_cancel = selections;
    EXPECT_EQ(Range(text, budget).status().code(), absl::StatusCode::kCancelled) << text;
  }
}

TEST_F(StorageReadsTest, EnginesShareThreadsAndOptions) {
  const Engine given(storage_, EngineOptions{.lookback_ms = 7, .threads = 3});
  const MemoryStorage empty;
  const Engine other(empty, given);
  EXPECT_EQ(&other.pool(), &given.pool());
  EXPECT_EQ(other.lookback_ms(), 7);
  EXPECT_EQ(given.pool().concurrency(), 3u);
  EXPECT_EQ(Engine(empty, EngineOptions{.threads = 0}).pool().concurrency(), 1u);
}

}  // namespace
}  // namespace lockstep::engine
