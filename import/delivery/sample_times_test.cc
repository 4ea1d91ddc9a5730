#include "import/delivery/sample_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace lockstep::importer {
namespace {

constexpr uint64_t kRun = 1, kOtherRun = 2, kLoss = 10, kRate = 11;

// The stored times of one series' steps, numbered from 0 and logged at `logged_ms`.
std::vector<int64_t> Stored(const std::vector<int64_t>& logged_ms) {
  SampleTimes times;
  std::vector<int64_t> stored;
  for (size_t step = 0; step < logged_ms.size(); ++step) {
    const auto number = static_cast<int64_t>(step);
    stored.push_back(times.Find({kRun, kLoss, logged_ms[step], number, 0.5}).time_ms);
  }
  return stored;
}

using Times = std::vector<int64_t>;

TEST(SampleTimesTest, StepsOfOneTimeFollowOneAnother) {
  EXPECT_EQ(Stored({10, 20, 30}), (Times{10, 20, 30}));
  EXPECT_EQ(Stored({5, 5, 5, 5, 6, 20}), (Times{5, 6, 7, 8, 9, 20}));
  // Times in whole seconds.
  EXPECT_EQ(Stored({1000, 1000, 1000, 2000, 2000}), (Times{1000, 1001, 1002, 2000, 2001}));
}

TEST(SampleTimesTest, AClockThatIsSetBack) {
  EXPECT_EQ(Stored({1000, 1000, 2000, 2000, 1000, 1000, 2000}),
            (Times{1000, 1001, 2000, 2001, 1002, 1003, 2002}));
}

TEST(SampleTimesTest, ValuesOfAStepStayTogether) {
  // A writer that writes all of one tag, then all of another.
  SampleTimes times;
  for (const uint64_t series : {kLoss, kRate}) {
    for (int64_t step = 0; step < 20; ++step) {
      const SampleTimes::Place place = times.Find({kRun, series, 100, step, 0.5});
      EXPECT_EQ(place.time_ms, 100 + step);
      EXPECT_FALSE(place.is_duplicate);
      EXPECT_EQ(place.is_first, series == kLoss);
    }
  }
  EXPECT_EQ(times.moved(), 38u);
  EXPECT_EQ(times.duplicates(), 0u);
}

TEST(SampleTimesTest, OwnersDoNotDisturbEachOther) {
  SampleTimes times;
  EXPECT_EQ(times.Find({kRun, kLoss, 100, 1, 0.5}).time_ms, 100);
  EXPECT_EQ(times.Find({kOtherRun, kRate, 100, 2, 0.5}).time_ms, 100);
}

TEST(SampleTimesTest, TheSameValueAgainIsADuplicate) {
  SampleTimes times;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool is_again : {false, true}) {
    for (int64_t step = 0; step < 3; ++step) {
      const SampleTimes::Place place = times.Find({kRun, kLoss, 100, step, nan});
      EXPECT_EQ(place.time_ms, 100 + step);
      EXPECT_EQ(place.is_duplicate, is_again);
    }
  }
  EXPECT_EQ(times.duplicates(), 3u);
}

TEST(SampleTimesTest, OtherValuesOfOneStepAndTimeAreRecordsOfTheirOwn) {
  SampleTimes times;
  for (const bool is_again : {false, true}) {
    for (int64_t i = 0; i < 5; ++i) {
      const double value = static_cast<double>(i);
      EXPECT_EQ(times.Find({kRun, kLoss, 100, 7, value}).time_ms, 100 + i);
      const auto place = times.Find({kRun, kRate, 100, 7, value});
      EXPECT_EQ(place.time_ms, 100 + i);
      EXPECT_EQ(place.is_duplicate, is_again);
    }
  }
}

TEST(SampleTimesTest, ManyRecordsOfOneTimeCostNoSquare) {
  SampleTimes times;
  constexpr int64_t kCount = 20'000;
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(times.Find({kLoss, kLoss, 5, std::nullopt, static_cast<double>(i)}).time_ms, 5 + i);
    ASSERT_EQ(times.Find({kRun, kRate, 5, i, 1}).time_ms, 5 + i);
  }
  // Times after a long run.
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(times.Find({kRun, kRate, 6 + i, kCount + i, 1}).time_ms, 5 + kCount + i);
  }
}

TEST(SampleTimesTest, MoreThanIsRememberedIsSaid) {
  SampleTimes times(10);
  for (int64_t step = 0; step < 10; ++step) times.Find({kRun, kLoss, step, step, 1});
  EXPECT_FALSE(times.has_forgotten());
  EXPECT_EQ(times.Find({kRun, kLoss, 0, 10, 1}).time_ms, 0);
  EXPECT_TRUE(times.has_forgotten());
}

// Checks the rules directly: nothing is lost, and values of a step logged at one time share a time.
TEST(SampleTimesTest, RandomRecordsKeepTheRules) {
  std::mt19937 random(20261124);
  for (int round = 0; round < 300; ++round) {
    SampleTimes times;
    std::map<std::pair<uint64_t, int64_t>, double> stored;                 // by series and time
    std::map<std::pair<uint64_t, int64_t>, std::optional<int64_t>> steps;  // by owner and time
    size_t taken = 0;
    for (int i = 0; i < 200; ++i) {
      SampleTimes::Record record;
      record.owner = 1 + random() % 2;
      record.series = 10 * record.owner + random() % 3;
      record.time_ms = static_cast<int64_t>(random() % 20);
      if (random() % 4 != 0) record.step = static_cast<int64_t>(random() % 10);
      record.value = static_cast<double>(random() % 5);
      const SampleTimes::Place place = times.Find(record);
      EXPECT_GE(place.time_ms, record.time_ms);
      const std::pair of_series{record.series, place.time_ms};
      EXPECT_EQ(stored.contains(of_series), place.is_duplicate);
      if (place.is_duplicate) {
        EXPECT_EQ(stored[of_series], record.value);
        continue;
      }
      stored[of_series] = record.value;
      ++taken;
      const auto [step, is_first] = steps.try_emplace({record.owner, place.time_ms}, record.step);
      EXPECT_EQ(step->second, record.step);
      EXPECT_EQ(place.is_first, is_first);
    }
    EXPECT_EQ(stored.size(), taken);
    EXPECT_EQ(taken + times.duplicates(), 200u);
  }
}

}  // namespace
}  // namespace lockstep::importer
