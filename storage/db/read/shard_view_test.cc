#include "storage/db/read/shard_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/db/rows/window.h"
#include "storage/db/state/shard_testing.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ShardViewTest : public ::testing::Test {
 protected:
  SeriesId Stage(int rank) {
    WriterLock lock(state_.mutex);
    return state_.dictionary
        .StageNew(LabelSet::Of({{kMetricName, "m"}, {"rank", std::to_string(rank)}}))
        .id;
  }
  void CommitSeries() {
    WriterLock lock(state_.mutex);
    state_.dictionary.CommitStaged();
  }
  void Append(SeriesId id, const std::vector<int64_t>& times_ms) {
    WriterLock lock(state_.mutex);
    SampleColumns columns;
    for (const int64_t time_ms : times_ms) columns.Append(time_ms, 1);
    if (!state_.active->IsOpen(id)) state_.active->Open(id, kNoTimeMs);
    state_.active->Append(id, columns);
    state_.active->Commit();
  }
  void Freeze() {
    WriterLock lock(state_.mutex);
    state_.frozen = std::exchange(state_.active, std::make_shared<Head>());
  }
  std::vector<SeriesId> Select(TimeRange range) {
    const ShardView view(state_);
    std::vector<SeriesId> ids;
    const auto selected = view.Select({{}, range});
    for (const SelectedSeries& series : *selected) ids.push_back(series.id);
    return ids;
  }
  static std::vector<int64_t> TimesIn(const HeadSamples& samples) {
    return samples.samples.columns().timestamps_ms;
  }

  LooseShard shard_;
  ShardState& state_ = shard_.state();
};

TEST_F(ShardViewTest, FindsSeriesWhereverTheirSamplesAre) {
  const SeriesId active = Stage(0), frozen = Stage(1), sealed = Stage(2), nowhere = Stage(3);
  CommitSeries();
  Append(frozen, {10});
  Freeze();
  Append(active, {10});
  {
    WriterLock lock(state_.mutex);
    state_.dictionary.RaiseSealedMax(sealed, 2 * kWindowMs + 5);
    state_.windows[1].Add(kv::Tier::kHot, 1, {{0, 1}, 1, 1});
    state_.windows[2].Add(kv::Tier::kHot, 1, {{0, 1}, 1, 1});
  }
  EXPECT_THAT(Select({0, 3 * kWindowMs}), ElementsAre(active, frozen, sealed));
  EXPECT_THAT(Select({2 * kWindowMs + 5, 3 * kWindowMs}), ElementsAre(active, frozen, sealed));
  EXPECT_THAT(Select({2 * kWindowMs + 6, 3 * kWindowMs}), ElementsAre(active, frozen));
  // No window in the range has chunks.
  EXPECT_THAT(Select({0, kWindowMs - 1}), ElementsAre(active, frozen));
  EXPECT_GT(nowhere, sealed);
}

TEST_F(ShardViewTest, HasTheWindowsOfARange) {
  {
    WriterLock lock(state_.mutex);
    state_.windows[1].Add(kv::Tier::kHot, 1, {{0, 1}, 1, 1});
    state_.windows[2].Add(kv::Tier::kCold, 1, {{0, 1}, 1, 1});
    state_.windows[4].Add(kv::Tier::kCold, 1, {{0, 1}, 1, 1});
    state_.windows[4].Add(kv::Tier::kHot, 2, {{0, 1}, 1, 1});
  }
  const ShardView view(state_);
  const auto windows = [&view](int64_t min_ms, int64_t max_ms) {
    std::vector<std::string> texts;
    for (const WindowToRead& window : view.WindowsIn({min_ms, max_ms})) {
      texts.push_back(std::to_string(window.number) + (window.is_all_cold ? " cold" : ""));
    }
    return texts;
  };
  EXPECT_THAT(windows(INT64_MIN, INT64_MAX), ElementsAre("1", "2 cold", "4"));
  EXPECT_THAT(windows(2 * kWindowMs, 4 * kWindowMs - 1), ElementsAre("2 cold"));
  EXPECT_THAT(windows(2 * kWindowMs - 1, 4 * kWindowMs), ElementsAre("1", "2 cold", "4"));
  EXPECT_THAT(windows(3 * kWindowMs, 4 * kWindowMs - 1), IsEmpty());
  EXPECT_THAT(windows(2 * kWindowMs + 1, 2 * kWindowMs), IsEmpty());
}

TEST_F(ShardViewTest, ReadsBothHeadsTheNewerOverTheOlder) {
  const SeriesId id = Stage(0), other = Stage(1);
  CommitSeries();
  Append(id, {10, 20, 30});
  Append(other, {15});
  Freeze();
  Append(id, {25, 40});
  const ShardView view(state_);
  Append(id, {50});  // later
  const std::vector<SeriesId> ids = {other, id};
  std::vector<HeadSamples> heads(2);
  EXPECT_EQ(view.ReadHeads(ids, kAllTimes, SamplesNeeded::kAll, heads), 2u);
  EXPECT_THAT(TimesIn(heads[0]), ElementsAre(15));
  EXPECT_THAT(TimesIn(heads[1]), ElementsAre(10, 20, 25, 30, 40));
  EXPECT_FALSE(heads[1].has_newest);
  EXPECT_EQ(view.ReadHeads(ids, {20, 30}, SamplesNeeded::kAll, heads), 2u);
  EXPECT_THAT(TimesIn(heads[0]), IsEmpty());
  EXPECT_THAT(TimesIn(heads[1]), ElementsAre(20, 25, 30));
}

TEST_F(ShardViewTest, TheNewestSampleIsEnoughWhereItIsKnown) {
  const SeriesId known = Stage(0), late = Stage(1);
  CommitSeries();
  Append(known, {10, 20});
  Append(late, {20});
  Append(late, {10});
  const ShardView view(state_);
  const std::vector<SeriesId> ids = {known, late};
  std::vector<HeadSamples> heads(2);
  EXPECT_EQ(view.ReadHeads(ids, kAllTimes, SamplesNeeded::kNewest, heads), 2u);
  EXPECT_TRUE(heads[0].has_newest);
  EXPECT_THAT(TimesIn(heads[0]), ElementsAre(20));
  EXPECT_FALSE(heads[1].has_newest);
  EXPECT_THAT(TimesIn(heads[1]), ElementsAre(10, 20));
  EXPECT_EQ(view.ReadHeads(ids, kAllTimes, SamplesNeeded::kAll, heads), 2u);
  EXPECT_FALSE(heads[0].has_newest);
  EXPECT_THAT(TimesIn(heads[0]), ElementsAre(10, 20));
}

TEST_F(ShardViewTest, ReadsSoManySeriesAsHaveEnoughSamples) {
  std::vector<SeriesId> ids;
  for (int rank = 0; rank < 4; ++rank) ids.push_back(Stage(rank));
  CommitSeries();
  std::vector<int64_t> times_ms(kReadAheadSamples / 2);
  for (size_t i = 0; i < times_ms.size(); ++i) times_ms[i] = static_cast<int64_t>(i);
  for (const SeriesId id : ids) Append(id, times_ms);
  const ShardView view(state_);
  std::vector<HeadSamples> heads(4);
  EXPECT_EQ(view.ReadHeads(ids, kAllTimes, SamplesNeeded::kAll, heads), 2u);
  EXPECT_EQ(view.ReadHeads(ids, {1, INT64_MAX}, SamplesNeeded::kAll, heads), 3u);
  EXPECT_EQ(view.ReadHeads(ids, {1, 1}, SamplesNeeded::kAll, heads), 4u);
}

}  // namespace
}  // namespace lockstep
