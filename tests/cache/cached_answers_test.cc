// Range queries through the cache return what the engine returns without it, while samples arrive
// on time and late, are overwritten, deleted and sealed, and expire.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "query/cache/range_cache.h"
#include "query/engine/engine.h"
#include "storage/db/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int64_t kSecondMs = 1'000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kStart = 1'700'000'000'000 / kMinuteMs * kMinuteMs;
constexpr int64_t kScrape = 15 * kSecondMs;
constexpr int64_t kKeep = 80 * kMinuteMs;
constexpr int kRanks = 12;

// Rounding errors reveal sums over other parts; counter resets reveal windows that began elsewhere.
constexpr const char* kQueries[] = {
    "power", "sum(power)", "sum by (job) (rate(steps_total[5m]))",
    "avg by (job) (power) / ignoring (a) avg by (job) (power offset 10m)",
    "max_over_time(power[10m]) - min_over_time(power[10m])", "stddev(avg_over_time(power[7m]))",
    "quantile by (job) (0.9, power)", "histogram_quantile(0.9, sum(rate(latency[5m])))",
    "sum(rate(latency[4m]))", "power > 50 or steps_total", "avg_over_time(sum(power)[20m:1m])",
    "absent(gone) * 3 + time()", "predict_linear(power[10m], 600)", "power offset -2m",
    "irate(steps_total[2m] offset 5m) + on (rank) group_left () power",
    "count_values(\"v\", round(power, 20))",
    "changes(power[3m] anchored) + 0 * rate(steps_total[5m] smoothed)",
    // Never cached.
    "topk(3, power)", "power @ end()", "label_replace(power, \"x\", \"$1\", \"rank\", \"(.)\")",
    "rate(power[5m])",  // returns an info annotation
};

std::string ValueText(const SampleColumns& samples) {
  std::string text;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    absl::StrAppendFormat(&text, " %d=%x", samples.timestamps_ms[i],
                          std::bit_cast<uint64_t>(samples.values[i]));
  }
  for (const HistogramSample& sample : samples.histograms) {
    absl::StrAppendFormat(&text, " %d={%x %x}", sample.timestamp_ms,
                          std::bit_cast<uint64_t>(sample.histogram->count),
                          std::bit_cast<uint64_t>(sample.histogram->sum));
  }
  return text;
}

std::string Text(const absl::StatusOr<engine::QueryResult>& result) {
  if (!result.ok()) return result.status().ToString();
  std::string text;
  for (const engine::MatrixSeries& series : std::get<engine::MatrixResult>(result->value)) {
    text += series.labels.ToString() + ValueText(series.samples) + "\n";
  }
  for (const std::string& info : result->annotations.infos) text += info + "\n";
  for (const std::string& warning : result->annotations.warnings) text += warning + "\n";
  return text;
}

// A storage that calls a function before it creates its next querier.
class Interrupted : public Storage {
 public:
  explicit Interrupted(Storage& storage) : storage_(storage) {}

  void BeforeNextQuerier(std::function<void()> action) { action_ = std::move(action); }

  void Write(WriteRequest request, WriteCallback committed) override {
    storage_.Write(std::move(request), std::move(committed));
  }
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    if (action_) std::exchange(action_, nullptr)();
    return storage_.NewQuerier();
  }
  uint64_t change_count() const override { return storage_.change_count(); }
  TimeRange UnchangedSince(uint64_t count) const override { return storage_.UnchangedSince(count); }
  StorageStats stats() const override { return storage_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override {
    return storage_.Cardinality(query);
  }

 private:
  Storage& storage_;
  mutable std::function<void()> action_;
};

class CachedAnswers : public ::testing::TestWithParam<uint64_t> {
 protected:
  CachedAnswers() : random_(GetParam()) {
    StoreOptions options;
    options.data_dir = folder_.path() + "/data";
    options.shard_count = 2;
    options.retention_ms = kKeep;
    options.now_ms = [this] { return now_ms_.load(); };
    options.monotonic_ms = options.now_ms;
    auto store = OpenStore(std::move(options));
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    engine_ = std::make_unique<engine::Engine>(*store_, engine::EngineOptions{});
    cache_ = std::make_unique<cache::RangeCache>(*engine_, *store_, size_t{8} << 20);
  }

  uint64_t Below(uint64_t end) { return random_() % end; }

  static LabelSet LabelsOf(const char* name, int rank) {
    return LabelSet::Of({{kMetricName, name},
                         {"job", "job" + std::to_string(rank % 3)},
                         {"rank", std::to_string(rank)}});
  }

  void Write(int rank, int64_t time_ms) {
    WriteRequest request;
    const auto number = static_cast<double>(Below(1000)) / 7;
    request.series.push_back({LabelsOf("power", rank), {{time_ms, number}}, {}});
    counters_[rank] = Below(40) == 0 ? 0 : counters_[rank] + number;
    request.series.push_back({LabelsOf("steps_total", rank), {{time_ms, counters_[rank]}}, {}});
    if (rank < 3) {
      auto histogram = std::make_shared<Histogram>();
      histogram->count = histogram->zero_count = counters_[rank];
      histogram->sum = counters_[rank] / 3;
      request.series.push_back({LabelsOf("latency", rank), {}, {{time_ms, histogram}}});
    }
    std::promise<bool> answer;
    store_->Write(std::move(request), [&answer](absl::StatusOr<WriteOutcome> outcome) {
      answer.set_value(outcome.ok());
    });
    ASSERT_TRUE(answer.get_future().get());
  }

  void Scrape() {
    now_ms_ += kScrape;
    for (int rank = 0; rank < kRanks; ++rank) {
      // Some samples are late, some missing.
      if (Below(20) != 0) Write(rank, now_ms_ - static_cast<int64_t>(Below(3)) * kSecondMs);
    }
  }

  void Disturb() {
    switch (Below(12)) {
      case 0:
        return Write(static_cast<int>(Below(kRanks)),
                     now_ms_ - static_cast<int64_t>(Below(kHourMs)));
      case 1: {
        const std::vector<std::vector<Matcher>> matchers = {
            {Matcher::Equal("rank", std::to_string(Below(kRanks)))}};
        const int64_t end_ms = now_ms_ - static_cast<int64_t>(Below(40)) * kMinuteMs;
        ASSERT_TRUE(store_->DeleteSeries(matchers, {end_ms - 5 * kMinuteMs, end_ms}).ok());
        return;
      }
      case 2:
        ASSERT_TRUE(store_->Seal().ok());
        return;
      case 3:
        now_ms_ += 5 * kMinuteMs;
        ASSERT_TRUE(store_->DropExpired().ok());
        return;
      default:
        return;
    }
  }

  engine::RangeQuery RandomQuery() {
    engine::RangeQuery query;
    query.text = kQueries[Below(std::size(kQueries))];
    query.step_ms = Below(2) == 0 ? 30 * kSecondMs : kMinuteMs;
    query.end_ms = now_ms_ / query.step_ms * query.step_ms;
    if (Below(4) == 0) query.end_ms -= static_cast<int64_t>(Below(20)) * query.step_ms;
    const int64_t steps = Below(5) == 0 ? 1 + static_cast<int64_t>(Below(250)) : 60;
    query.start_ms = query.end_ms - steps * query.step_ms;
    // The end is not on a step.
    if (Below(10) == 0) query.start_ms += 7 * kSecondMs;
    return query;
  }

  void Ask() {
    const engine::RangeQuery query = RandomQuery();
    QueryBudget budget(int64_t{1} << 40, QueryBudget::Clock::time_point::max());
    const std::string cached = Text(cache_->Execute(query, budget));
    ASSERT_EQ(cached, Text(engine_->Execute(query, budget)))
        << query.text << " from " << query.start_ms << " to " << query.end_ms << " by "
        << query.step_ms;
  }

  std::mt19937_64 random_;
  std::atomic<int64_t> now_ms_ = kStart;
  TestFolder folder_;
  double counters_[kRanks] = {};
  std::unique_ptr<Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<cache::RangeCache> cache_;
};

TEST_P(CachedAnswers, AreThoseOfTheEngine) {
  for (int i = 0; i < 240; ++i) Scrape();
  for (int round = 0; round < 400 && !HasFatalFailure(); ++round) {
    if (Below(2) == 0) Scrape();
    if (Below(3) == 0) Disturb();
    for (int i = 0; i < 5; ++i) Ask();
  }
  const cache::RangeCacheStats stats = cache_->stats();
  EXPECT_GT(stats.hit_count, stats.miss_count / 4);
  EXPECT_GT(stats.known_step_count, 5'000u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CachedAnswers, ::testing::Values(1, 2, 3));

// A dashboard is refreshed a minute later; its samples arrived in order.
TEST_P(CachedAnswers, OnlyNewStepsAreEvaluated) {
  for (int i = 0; i < 240; ++i) Scrape();
  const auto ask = [this] {
    engine::RangeQuery query{"sum(power)", 0, now_ms_ / kMinuteMs * kMinuteMs, kMinuteMs};
    query.start_ms = query.end_ms - 50 * kMinuteMs;
    QueryBudget budget(int64_t{1} << 40, QueryBudget::Clock::time_point::max());
    const auto result = cache_->Execute(query, budget);
    EXPECT_TRUE(result.ok()) << result.status();
    return result->stats.total_samples;
  };
  const int64_t first = ask();
  EXPECT_GE(first, 50 * (kRanks - 1));
  EXPECT_EQ(ask(), 0);
  for (int i = 0; i < 4; ++i) Scrape();
  const int64_t later = ask();
  EXPECT_GT(later, 0);
  EXPECT_LE(later, 2 * kRanks);
  // A sample from half an hour ago: all later steps are evaluated again.
  Write(3, now_ms_ - 30 * kMinuteMs);
  const int64_t late = ask();
  EXPECT_GE(late, 29 * (kRanks - 2));
  EXPECT_LE(late, 31 * kRanks);
}

// A late sample arrives between the cache lookup and the evaluation of the remaining steps.
TEST_P(CachedAnswers, AllStepsAreOfOneMoment) {
  for (int i = 0; i < 240; ++i) Scrape();
  Interrupted storage(*store_);
  const engine::Engine engine(storage, {});
  cache::RangeCache cache(engine, storage, size_t{8} << 20);
  const auto ask = [&] {
    engine::RangeQuery query{"sum(power)", 0, now_ms_ / kMinuteMs * kMinuteMs, kMinuteMs};
    query.start_ms = query.end_ms - 50 * kMinuteMs;
    QueryBudget budget(int64_t{1} << 40, QueryBudget::Clock::time_point::max());
    const std::string cached = Text(cache.Execute(query, budget));
    EXPECT_EQ(cached, Text(engine_->Execute(query, budget)));
  };
  ask();
  for (int i = 0; i < 8; ++i) Scrape();
  storage.BeforeNextQuerier([this] { Write(3, now_ms_ - 30 * kMinuteMs); });
  ask();
  ask();
}

TEST_P(CachedAnswers, WhoWantsToKnowWhatAQueryDoesHasItDone) {
  for (int i = 0; i < 40; ++i) Scrape();
  engine::RangeQuery query{"sum(power)", kStart, now_ms_, kMinuteMs};
  QueryBudget budget(int64_t{1} << 40, QueryBudget::Clock::time_point::max());
  ASSERT_TRUE(cache_->Execute(query, budget).ok());
  query.options.fresh = true;
  EXPECT_GT(cache_->Execute(query, budget)->stats.total_samples, 0);
}

}  // namespace
}  // namespace lockstep
