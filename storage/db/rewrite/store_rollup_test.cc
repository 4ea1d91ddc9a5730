// Rollup rows in the store: when they exist, which queries read them, and that they disappear with
// their chunks.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "storage/db/check/store_check.h"
#include "storage/db/rows/window.h"
#include "storage/db/store_testing.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

// A window that has ended.
const TimeRange kWindow = RangeOfWindow(WindowOf(kTestNowMs) - 1);

std::vector<Sample> Every(int64_t step_ms, TimeRange range) {
  std::vector<Sample> samples;
  for (int64_t t = range.min_ms; t <= range.max_ms; t += step_ms) {
    samples.push_back({t, static_cast<double>(t / step_ms % 7)});
  }
  return samples;
}

// The number of samples of the series that a query for the highest value receives.
size_t GivenCount(const Storage& storage, const LabelSet& series, TimeRange range) {
  const auto querier = storage.NewQuerier();
  const Matcher matcher =
      *Matcher::Make(MatchType::kEqual, "__name__", std::string(series.metric_name()));
  const Selection selection{{&matcher, 1}, range, nullptr, SamplesNeeded::kHighest};
  const auto set = (*querier)->Select(selection);
  EXPECT_TRUE(set.ok());
  SampleColumns columns;
  while ((*set)->Next()) {
    if ((*set)->labels() != series) continue;
    EXPECT_TRUE((*set)->Read(columns).ok());
  }
  return columns.values.size();
}

// The rows of the only shard. The store must be closed.
std::unique_ptr<kv::Store> OpenRows(const StoreOptions& options) {
  return *kv::Store::Open(options.data_dir + "/shard-000", options.env,
                          std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
}

int RollupRowCount(const StoreOptions& options) {
  const auto kv = OpenRows(options);
  int count = 0;
  for (auto row = kv->NewCursor(kv::Space::kRollup, {}); row.Valid(); row.Next()) ++count;
  return count;
}

class StoreRollup : public ::testing::Test {
 protected:
  StoreRollup() { store_ = MustOpen(options_); }

  void Write(const LabelSet& series, const std::vector<Sample>& samples) {
    ASSERT_TRUE(WriteFloats(*store_, series, samples).ok());
  }
  void Close() {
    ASSERT_TRUE(store_->Close().ok());
    store_.reset();
  }
  uint64_t DamageCount() {
    const auto report =
        CheckStore(options_.data_dir, options_.env,
                   {[](const std::string&, const std::string&) {}, [](const std::string&) {}});
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? report->damage_count : 0;
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  std::unique_ptr<Store> store_;
};

TEST_F(StoreRollup, ASeriesWithStartsHasNone) {
  WriteRequest request;
  request.series.push_back({Series("dense"), Every(1'000, kWindow), {}});
  request.series[0].start_timestamps_ms.resize(request.series[0].samples.size());
  request.series[0].start_timestamps_ms[5] = kWindow.min_ms + 4'500;
  ASSERT_TRUE(WriteAndWait(*store_, std::move(request)).ok());
  ASSERT_TRUE(store_->Settle().ok());
  EXPECT_EQ(GivenCount(*store_, Series("dense"), kWindow), 14'400u);
  Close();
  EXPECT_EQ(DamageCount(), 0u);
}

TEST_F(StoreRollup, DenseSeriesHaveOneAndSparseOnesHaveNone) {
  Write(Series("dense"), Every(1'000, kWindow));
  Write(Series("sparse"), Every(60'000, kWindow));
  ASSERT_TRUE(store_->Seal().ok());
  EXPECT_EQ(GivenCount(*store_, Series("dense"), kWindow), 14'400u);
  ASSERT_TRUE(store_->Settle().ok());
  EXPECT_EQ(GivenCount(*store_, Series("dense"), kWindow), 49u);
  EXPECT_EQ(GivenCount(*store_, Series("sparse"), kWindow), 240u);
  Close();
  EXPECT_EQ(DamageCount(), 0u);
  EXPECT_EQ(RollupRowCount(options_), 1);
}

TEST_F(StoreRollup, IsOfWholeBucketsOnly) {
  Write(Series("dense"), Every(1'000, kWindow));
  ASSERT_TRUE(store_->Settle().ok());
  const int64_t begin_ms = kWindow.min_ms;
  EXPECT_EQ(GivenCount(*store_, Series("dense"), {begin_ms + 1, begin_ms + 2 * kHourMs}), 24u);
  EXPECT_EQ(GivenCount(*store_, Series("dense"), {begin_ms, begin_ms + 2 * kHourMs}), 25u);
  EXPECT_EQ(GivenCount(*store_, Series("dense"), {begin_ms + 2, begin_ms + 2 * kHourMs}), 7'200u);
  EXPECT_EQ(GivenCount(*store_, Series("dense"), {begin_ms + 1, begin_ms + 2 * kHourMs - 1}),
            7'199u);
  EXPECT_EQ(GivenCount(*store_, Series("dense"), {begin_ms - 9, begin_ms + 9 * kHourMs}), 49u);
}

TEST_F(StoreRollup, LateSamplesAreSeenAtOnce) {
  Write(Series("m"), Every(1'000, kWindow));
  Write(Series("m", "train", 1), Every(1'000, kWindow));
  ASSERT_TRUE(store_->Settle().ok());
  Write(Series("m"), {{kWindow.min_ms + 500, 1e9}});
  EXPECT_EQ(GivenCount(*store_, Series("m"), kWindow), 14'401u);
  EXPECT_EQ(GivenCount(*store_, Series("m", "train", 1), kWindow), 49u);
  ASSERT_TRUE(store_->Seal().ok());
  EXPECT_EQ(GivenCount(*store_, Series("m"), kWindow), 14'401u);
  ASSERT_TRUE(store_->Settle().ok());
  EXPECT_EQ(GivenCount(*store_, Series("m"), kWindow), 49u);
  Close();
  EXPECT_EQ(RollupRowCount(options_), 1);
  EXPECT_EQ(DamageCount(), 0u);
}

TEST_F(StoreRollup, IsDeletedWithSamplesOfItsBlock) {
  Write(Series("m"), Every(1'000, kWindow));
  Write(Series("m", "train", 1), Every(1'000, kWindow));
  Write(Series("other"), Every(1'000, kWindow));
  ASSERT_TRUE(store_->Settle().ok());
  const std::vector<Matcher> matchers = {Matcher::Equal(std::string(kMetricName), "m"),
                                         Matcher::Equal("rank", "1")};
  const TimeRange hour = {kWindow.min_ms + 1, kWindow.min_ms + kHourMs};
  ASSERT_TRUE(store_->DeleteSeries({&matchers, 1}, hour).ok());
  EXPECT_EQ(GivenCount(*store_, Series("m", "train", 1), kWindow), 14'400u - 3'600u);
  EXPECT_EQ(GivenCount(*store_, Series("m"), kWindow), 14'400u);
  EXPECT_EQ(GivenCount(*store_, Series("other"), kWindow), 49u);
  Close();
  EXPECT_EQ(RollupRowCount(options_), 1);
  EXPECT_EQ(DamageCount(), 0u);
}

TEST_F(StoreRollup, GoesWithItsWindow) {
  const int64_t old_ms = kTestNowMs - options_.retention_ms + kHourMs;
  const TimeRange old = RangeOfWindow(WindowOf(old_ms) + 1);
  Write(Series("m"), Every(1'000, old));
  Write(Series("m"), Every(1'000, kWindow));
  ASSERT_TRUE(store_->Settle().ok());
  Close();
  EXPECT_EQ(RollupRowCount(options_), 2);
  options_.now_ms = [] { return kTestNowMs + 9 * kHourMs; };
  store_ = MustOpen(options_);
  ASSERT_TRUE(store_->DropExpired().ok());
  EXPECT_EQ(GivenCount(*store_, Series("m"), kWindow), 49u);
  Close();
  EXPECT_EQ(RollupRowCount(options_), 1);
}

TEST_F(StoreRollup, DoesNotShowWhatARuleHides) {
  // The rule's border lies in the window, between two borders of buckets.
  const int64_t oldest_ms = kWindow.min_ms + kHourMs + 150'000;
  Write(Series("m"), Every(1'000, kWindow));
  ASSERT_TRUE(store_->Settle().ok());
  Close();
  RetentionRule rule;
  rule.metric = *Matcher::Make(MatchType::kRegex, std::string(kMetricName), "m");
  rule.keep_ms = kTestNowMs - oldest_ms;
  options_.retention_rules = {rule};
  store_ = MustOpen(options_);
  const auto left = static_cast<size_t>((kWindow.max_ms - oldest_ms) / 1'000 + 1);
  EXPECT_EQ(GivenCount(*store_, Series("m"), kWindow), left);
  Close();
  EXPECT_EQ(RollupRowCount(options_), 1);
}

TEST_F(StoreRollup, TheCheckComparesItWithItsChunks) {
  Write(Series("m"), Every(1'000, kWindow));
  const TimeRange before = RangeOfWindow(WindowOf(kWindow.min_ms) - 1);
  Write(Series("m"), Every(2'000, before));
  ASSERT_TRUE(store_->Settle().ok());
  Close();
  EXPECT_EQ(DamageCount(), 0u);
  {
    // Swaps the rows of the two windows.
    const auto kv = OpenRows(options_);
    kv::Batch batch = kv->NewBatch();
    std::vector<std::pair<std::string, std::string>> rows;
    for (auto row = kv->NewCursor(kv::Space::kRollup, {}); row.Valid(); row.Next()) {
      rows.emplace_back(row.key(), row.value());
    }
    ASSERT_EQ(rows.size(), 2u);
    batch.Put(kv::Space::kRollup, rows[0].first, rows[1].second);
    batch.Put(kv::Space::kRollup, rows[1].first, "x");
    ASSERT_TRUE(kv->Commit(batch, kv::Durability::kSynced).ok());
  }
  EXPECT_EQ(DamageCount(), 2u);
}

}  // namespace
}  // namespace lockstep
