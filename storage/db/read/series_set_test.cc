// How a selection is divided, stopped and walked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/db/rows/window.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

class SeriesSetTest : public ::testing::Test {
 protected:
  // So many series of one family, with a sample at each of the times.
  void Write(int series_count, const std::vector<int64_t>& times_ms, const std::string& job = "a") {
    WriteRequest request;
    for (int rank = 0; rank < series_count; ++rank) {
      SeriesWrite write{Series("m", job, rank), {}, {}};
      for (const int64_t time_ms : times_ms) write.samples.push_back({time_ms, 1.0 * rank});
      request.series.push_back(std::move(write));
    }
    ASSERT_TRUE(WriteAndWait(*store_, std::move(request)).ok());
  }
  std::unique_ptr<SeriesSet> Select(QueryBudget* budget = nullptr) {
    querier_ = *store_->NewQuerier();
    return *querier_->Select({{}, kAllTimes, budget});
  }
  // The sizes of the parts; checks that together they are the whole, each in order.
  std::vector<size_t> Split(size_t max_parts) {
    std::vector<size_t> sizes;
    std::vector<std::string> found(Select()->size());
    const auto parts = Select()->Split(max_parts);
    for (const auto& part : parts) {
      sizes.push_back(part->size());
      size_t next_position = 0;
      while (part->Next()) {
        EXPECT_GE(part->position(), next_position);
        next_position = part->position() + 1;
        SampleColumns columns;
        EXPECT_TRUE(part->Read(columns).ok());
        EXPECT_EQ(std::to_string(static_cast<int>(columns.values.at(0))),
                  part->labels().Get("rank"));
        EXPECT_EQ(found[part->position()], "");
        found[part->position()] = part->labels().ToString();
      }
      EXPECT_TRUE(part->status().ok());
    }
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    return sizes;
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  std::unique_ptr<Store> store_ = MustOpen(options_);
  std::unique_ptr<Querier> querier_;
};

// A block has 64 series, and a part at least 16 of them.
TEST_F(SeriesSetTest, PartsAreOfWholeQuartersOfABlock) {
  Write(70, {kTestNowMs});
  for (const bool is_sealed : {false, true}) {
    if (is_sealed) {
      ASSERT_TRUE(store_->Seal().ok());
    }
    EXPECT_THAT(Split(1), ElementsAre(70));
    EXPECT_THAT(Split(2), ElementsAre(48, 22));
    EXPECT_THAT(Split(3), ElementsAre(32, 16, 22));
    EXPECT_THAT(Split(1000), ElementsAre(16, 16, 16, 16, 6));
  }
}

TEST_F(SeriesSetTest, SmallBlocksAreNotDivided) {
  Write(17, {kTestNowMs}, "a");
  Write(31, {kTestNowMs}, "b");
  EXPECT_EQ(Select()->size(), 48u);
  std::vector<size_t> sizes;
  for (const auto& part : Select()->Split(48)) sizes.push_back(part->size());
  EXPECT_THAT(sizes, ElementsAre(17, 31));
}

TEST_F(SeriesSetTest, WorkIsThatOfRowsOrSeries) {
  Write(20, {kTestNowMs});
  EXPECT_EQ(Select()->work(), 20u);
  Write(20, {kTestNowMs - kWindowMs, kTestNowMs - 2 * kWindowMs});
  ASSERT_TRUE(store_->Seal().ok());
  EXPECT_EQ(Select()->work(), 60u);
  EXPECT_EQ(Select()->size(), 20u);
}

TEST_F(SeriesSetTest, StopsWithItsBudget) {
  Write(3, {kTestNowMs});
  ASSERT_TRUE(store_->Seal().ok());
  QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
  const auto set = Select(&budget);
  ASSERT_TRUE(set->Next());
  budget.Cancel();
  SampleColumns columns;
  EXPECT_TRUE(absl::IsCancelled(set->Read(columns)));
  EXPECT_TRUE(set->status().ok());
  EXPECT_FALSE(set->Next());
  EXPECT_TRUE(absl::IsCancelled(set->status()));
  EXPECT_FALSE(set->Next());
}

TEST_F(SeriesSetTest, EndsForGood) {
  Write(2, {kTestNowMs});
  const auto set = Select();
  EXPECT_TRUE(set->Next());
  EXPECT_EQ(set->position(), 0u);
  EXPECT_TRUE(set->Next());
  EXPECT_EQ(set->position(), 1u);
  EXPECT_FALSE(set->Next());
  EXPECT_FALSE(set->Next());
  EXPECT_TRUE(set->status().ok());
}

// A read of memory ends with the shard's neighbours, so that a later one may be of more series.
TEST_F(SeriesSetTest, ALaterReadOfMemoryMayBeOfMoreSeries) {
  const TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.shard_count = 4;
  store_ = MustOpen(options);
  for (int job = 0; job < 8; ++job) Write(1 + 9 * job, {kTestNowMs}, std::to_string(job));
  EXPECT_THAT(Split(1), ElementsAre(260));
  querier_.reset();
  store_.reset();
}

// Series that nobody reads do not keep those behind them from being read.
TEST_F(SeriesSetTest, SomeSeriesMayBePassedOver) {
  Write(70, {kTestNowMs - kWindowMs, kTestNowMs - 5});
  ASSERT_TRUE(store_->Seal().ok());
  Write(70, {kTestNowMs});
  const auto set = Select();
  for (int i = 0; set->Next(); ++i) {
    if (i % 3 != 2) continue;
    SampleColumns columns;
    ASSERT_TRUE(set->Read(columns).ok());
    EXPECT_THAT(columns.timestamps_ms,
                ElementsAre(kTestNowMs - kWindowMs, kTestNowMs - 5, kTestNowMs));
  }
  EXPECT_TRUE(set->status().ok());
}

// A sample that came late may be in memory, between stored ones, or another value of one.
TEST_F(SeriesSetTest, SamplesInMemoryGoBetweenThoseStored) {
  ASSERT_TRUE(WriteFloats(*store_, Series("m"), {{kTestNowMs - 30, 1}, {kTestNowMs - 10, 2}}).ok());
  ASSERT_TRUE(store_->Seal().ok());
  ASSERT_TRUE(WriteFloats(*store_, Series("m"), {{kTestNowMs - 20, 3}, {kTestNowMs - 10, 4}}).ok());
  const auto read = [this](TimeRange range) {
    querier_ = *store_->NewQuerier();
    const auto set = *querier_->Select({{}, range});
    SampleColumns columns;
    while (set->Next()) EXPECT_TRUE(set->Read(columns).ok());
    return columns.values;
  };
  EXPECT_THAT(read(kAllTimes), ElementsAre(1, 3, 4));
  EXPECT_THAT(read({kTestNowMs - 30, kTestNowMs - 20}), ElementsAre(1, 3));
  EXPECT_THAT(read({kTestNowMs - 29, kTestNowMs - 11}), ElementsAre(3));
  EXPECT_THAT(read({kTestNowMs - 10, kTestNowMs}), ElementsAre(4));
}

}  // namespace
}  // namespace lockstep
