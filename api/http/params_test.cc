#include "api/http/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& result) {
  return result.ok() ? "OK" : std::string(Message(result.status()));
}

TEST(ParseTimeMsTest, ReadsSecondsAndRfc3339) {
  struct Case {
    std::string text;
    int64_t time_ms;
  };
  // The RFC 3339 rows were computed with `date -d TEXT +%s`.
  const Case cases[] = {
      {"0", 0},
      {"4", 4000},
      {"1.5", 1500},
      {"-1.5", -1500},
      {"+2", 2000},
      {"1700000000.123", 1700000000123},
      {"1700000000.1236", 1700000000124},
      {"1e3", 1000000},
      {"1700000000123",
       1700000000123000},  // milliseconds instead of seconds, as in Grafana's probe
      {"2015-07-01T20:10:51.781Z", 1435781451781},
      {"2015-07-01T20:10:51Z", 1435781451000},
      {"2015-07-01T22:10:51.7819+02:00", 1435781451781},
      {"1969-12-31T23:59:59.5Z", -500},
      {"2024-02-29T00:00:00-01:30", 1709170200000},
      {"-292273086-05-16T16:47:06Z", kMinTimeMs},
      {"292277025-08-18T07:12:54.999999999Z", kMaxTimeMs},
      {"1e300", kMaxTimeMs},
      {"-1e300", kMinTimeMs},
  };
  for (const Case& c : cases) {
    const auto time_ms = ParseTimeMs(c.text);
    ASSERT_TRUE(time_ms.ok()) << c.text;
    EXPECT_EQ(*time_ms, c.time_ms) << c.text;
  }
}

TEST(ParseTimeMsTest, RefusesOtherText) {
  EXPECT_EQ(ErrorOf(ParseTimeMs("foo")), R"(cannot parse "foo" to a valid timestamp)");
  EXPECT_EQ(ErrorOf(ParseTimeMs("")), R"(cannot parse "" to a valid timestamp)");
  for (const char* text :
       {"NaN", "Inf", "30s", "2015-07-01", "2015-02-30T00:00:00Z", "2015-07-01T24:00:00Z",
        "2015-07-01T20:10:51", "2015-07-01T20:10:51.Z", "2015-07-01T20:10:51Zx", "1.5 "}) {
    EXPECT_FALSE(ParseTimeMs(text).ok()) << text;
  }
}

TEST(ParseDurationTest, ReadsSecondsAndPromqlDurations) {
  struct Case {
    std::string text;
    int64_t nanoseconds;
  };
  const Case cases[] = {
      {"15", 15'000'000'000},      {"0.5", 500'000'000},    {"0.0001", 100'000},
      {"-1", -1'000'000'000},      {"5m", 300'000'000'000}, {"1m0s", 60'000'000'000},
      {"1h30m", 5400'000'000'000}, {"250ms", 250'000'000},  {"0", 0},
  };
  for (const Case& c : cases) {
    const auto duration = ParseDuration(c.text);
    ASSERT_TRUE(duration.ok()) << c.text << ": " << duration.status();
    EXPECT_EQ(duration->count(), c.nanoseconds) << c.text;
  }
  EXPECT_EQ(ErrorOf(ParseDuration("abc")), R"(cannot parse "abc" to a valid duration)");
  EXPECT_EQ(ErrorOf(ParseDuration("")), R"(cannot parse "" to a valid duration)");
  EXPECT_EQ(ErrorOf(ParseDuration("148966367200.372")),
            R"(cannot parse "148966367200.372" to a valid duration. It overflows int64)");
  EXPECT_FALSE(ParseDuration("NaN").ok());
}

TEST(ParseLimitTest, ZeroAndNothingMeanNoLimit) {
  EXPECT_EQ(*ParseLimit(""), kNoLimit);
  EXPECT_EQ(*ParseLimit("0"), kNoLimit);
  EXPECT_EQ(*ParseLimit("40000"), 40000u);
  EXPECT_EQ(ErrorOf(ParseLimit("-1")), "limit must be non-negative");
  EXPECT_EQ(ErrorOf(ParseLimit("x")), R"(strconv.Atoi: parsing "x": invalid syntax)");
  EXPECT_EQ(ErrorOf(ParseLimit("1.5")), R"(strconv.Atoi: parsing "1.5": invalid syntax)");
  EXPECT_EQ(ErrorOf(ParseLimit("99999999999999999999")),
            R"(strconv.Atoi: parsing "99999999999999999999": value out of range)");
}

TEST(ParseTimeRangeTest, EndsAreOptional) {
  const auto open = ParseTimeRange("", "");
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(open->min_ms, kMinTimeMs);
  EXPECT_EQ(open->max_ms, kMaxTimeMs);
  const auto closed = ParseTimeRange("1", "2.5");
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ(closed->min_ms, 1000);
  EXPECT_EQ(closed->max_ms, 2500);
  EXPECT_EQ(
      ErrorOf(ParseTimeRange("abc", "")),
      "invalid parameter \"start\": invalid time value for 'start': cannot parse \"abc\" to a "
      "valid timestamp");
}

TEST(ParseMatcherSetsTest, EverySetNeedsAMatcherThatNeedsSomething) {
  const auto sets = ParseMatcherSets({"up", R"({job="x",a=~".*"})"});
  ASSERT_TRUE(sets.ok()) << sets.status();
  EXPECT_THAT(*sets, SizeIs(2));
  EXPECT_EQ(ErrorOf(ParseMatcherSets({R"({a=~".*"})"})),
            "match[] must contain at least one non-empty matcher");
  EXPECT_THAT(ErrorOf(ParseMatcherSets({"up{"})), HasSubstr("parse error"));
}

TEST(UnescapeLabelNameTest, UndoesTheEscaping) {
  struct Case {
    std::string escaped;
    std::string name;
  };
  const Case cases[] = {
      {"job", "job"},
      {"U__job_2e_name", "job.name"},
      {"U__a__b", "a_b"},
      {"U__http_2e_status:sum", "http.status:sum"},
      {"U___e9_t_e9_", "\u00e9t\u00e9"},
      {"U___1F600_", "\U0001F600"},
      // Malformed names are unchanged.
      {"U__a_", "U__a_"},
      {"U__a_zz_", "U__a_zz_"},
      {"U__a_2e", "U__a_2e"},
      {"U__a_d800_", "U__a_d800_"},
      {"U__a_1234567_", "U__a_1234567_"},
      {"u__a_2e_", "u__a_2e_"},
  };
  for (const Case& c : cases) EXPECT_EQ(UnescapeLabelName(c.escaped), c.name) << c.escaped;
}

}  // namespace
}  // namespace lockstep::api
