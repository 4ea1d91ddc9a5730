#include "storage/db/series/series_churn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

using ::testing::UnorderedElementsAre;

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kOneHourMs = 60 * kMinuteMs;
constexpr int64_t kStart = 1'700'000'000'000 / kOneHourMs * kOneHourMs;  // a full hour
enum Span : size_t { kTenMinutes, kOneHour, kOneDay };

// "job/metric +appeared -left" for each.
std::vector<std::string> Rows(const SeriesChurn& churn, Span span, int64_t now_ms) {
  std::vector<std::string> rows;
  churn.ForEach(
      span, now_ms, [&](std::string_view job, std::string_view metric, const ChurnCount& count) {
        rows.push_back(absl::StrFormat("%s/%s +%d -%d", job, metric, count.appeared, count.left));
      });
  return rows;
}

TEST(SeriesChurnTest, CountsByFamily) {
  SeriesChurn churn(kStart);
  churn.AddAppeared("a", "x", 2);
  churn.AddAppeared("a", "y", 1);
  churn.AddLeft("a", "x", 1);
  churn.AddAppeared("a", "x", 3);
  for (const Span span : {kTenMinutes, kOneHour, kOneDay}) {
    EXPECT_THAT(Rows(churn, span, kStart), UnorderedElementsAre("a/x +5 -1", "a/y +1 -0"));
  }
  EXPECT_EQ(churn.since_ms(), kStart);
}

TEST(SeriesChurnTest, EachSpanForgetsInItsTime) {
  SeriesChurn churn(kStart);
  churn.AddAppeared("a", "x", 1);
  const auto expect = [&](Span span, int64_t at_ms, bool is_there) {
    EXPECT_EQ(Rows(churn, span, kStart + at_ms).size(), is_there ? 1u : 0u)
        << span << " after " << at_ms;
  };
  // Whether or not Turn() was called meanwhile.
  for (const bool is_turned : {false, true}) {
    if (is_turned) churn.Turn(kStart + 10 * kMinuteMs);
    expect(kTenMinutes, 11 * kMinuteMs - 1, true);
    expect(kTenMinutes, 11 * kMinuteMs, false);
    if (is_turned) churn.Turn(kStart + 12 * kMinuteMs);
    expect(kTenMinutes, 12 * kMinuteMs, false);
    expect(kOneHour, 70 * kMinuteMs - 1, true);
    expect(kOneHour, 70 * kMinuteMs, false);
    if (is_turned) churn.Turn(kStart + 20 * kOneHourMs);
    expect(kOneDay, 25 * kOneHourMs - 1, true);
    expect(kOneDay, 25 * kOneHourMs, false);
  }
}

TEST(SeriesChurnTest, ANewBucketBeginsWithNothing) {
  SeriesChurn churn(kStart);
  churn.AddAppeared("a", "x", 1);
  churn.Turn(kStart + 11 * kMinuteMs);  // the first bucket's position, after one turn of the ring
  churn.AddAppeared("a", "x", 10);
  EXPECT_THAT(Rows(churn, kTenMinutes, kStart + 11 * kMinuteMs),
              UnorderedElementsAre("a/x +10 -0"));
  EXPECT_THAT(Rows(churn, kOneHour, kStart + 11 * kMinuteMs), UnorderedElementsAre("a/x +11 -0"));
  churn.Turn(kStart + 1000 * kOneHourMs);
  EXPECT_TRUE(Rows(churn, kOneDay, kStart + 1000 * kOneHourMs).empty());
}

TEST(SeriesChurnTest, AClockThatGoesBackCountsAsStanding) {
  SeriesChurn churn(kStart);
  churn.Turn(kStart - 5 * kOneHourMs);
  churn.AddLeft("a", "x", 1);
  EXPECT_THAT(Rows(churn, kOneHour, kStart - 5 * kOneHourMs), UnorderedElementsAre("a/x +0 -1"));
}

TEST(SeriesChurnTest, FamiliesBeyondTheLimitAreCountedWithoutAName) {
  SeriesChurn churn(kStart);
  for (size_t i = 0; i < SeriesChurn::kMaxFamilies + 2; ++i) {
    churn.AddAppeared("a", absl::StrFormat("m%d", i), 1);
  }
  const std::vector<std::string> rows = Rows(churn, kOneDay, kStart);
  EXPECT_EQ(rows.size(), SeriesChurn::kMaxFamilies + 1);
  EXPECT_EQ(rows.back(), "/ +2 -0");
  // After a day there is room again.
  churn.Turn(kStart + 26 * kOneHourMs);
  churn.AddAppeared("b", "x", 1);
  EXPECT_THAT(Rows(churn, kOneDay, kStart + 26 * kOneHourMs), UnorderedElementsAre("b/x +1 -0"));
}

}  // namespace
}  // namespace lockstep
