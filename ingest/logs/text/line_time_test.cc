#include "ingest/logs/text/line_time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string_view>

namespace lockstep::logs {
namespace {

// 2026-03-02 09:15:48 UTC, from `date -u -d '2026-03-02 09:15:48' +%s`.
constexpr int64_t kMoment = 1772442948;

TEST(LineTimeTest, Texts) {
  const auto check = [](std::string_view text, int64_t time_ms, std::string_view rest) {
    const auto found = TakeTime(text, 3600);
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_EQ(*found, time_ms) << text;
    EXPECT_EQ(text, rest);
  };
  // Times without a zone are an hour east of UTC here.
  check("2026-03-02 09:15:48", (kMoment - 3600) * 1000, "");
  check("2026-03-02 09:15:48,125] x", (kMoment - 3600) * 1000 + 125, "] x");
  check("2026-03-02T09:15:48.730498123Z y", kMoment * 1000 + 730, " y");
  check("2026-03-02T09:15:48+02:00", (kMoment - 7200) * 1000, "");
  check("2026-03-02T09:15:48.5-00:30", (kMoment + 1800) * 1000 + 500, "");
  check("1970-01-01T00:00:00Z", 0, "");
  check("2024-02-29T00:00:00Z", 1709164800000, "");
  // A leap second, and what is no part of a time.
  check("2026-03-02 09:15:60", (kMoment - 3600 + 12) * 1000, "");
  check("2026-03-02 09:15:48.x", (kMoment - 3600) * 1000, ".x");
  check("2026-03-02 09:15:48.", (kMoment - 3600) * 1000, ".");
  check("2026-03-02 09:15:48;125", (kMoment - 3600) * 1000, ";125");
  check("2026-03-02 09:15:48.0079", (kMoment - 3600) * 1000 + 7, "");
  check("2026-03-02T09:15:48+02:0", (kMoment - 3600) * 1000, "+02:0");
  check("2026-03-02T09:15:48+0200 ", (kMoment - 3600) * 1000, "+0200 ");
  check("2026-03-02T09:15:48+x2:00", (kMoment - 3600) * 1000, "+x2:00");
  check("2026-03-02T09:15:48+02:x0", (kMoment - 3600) * 1000, "+02:x0");
  check("2026-03-02T09:15:48*02:00", (kMoment - 3600) * 1000, "*02:00");
  for (std::string_view text : {"",
                                "2026-03-02",
                                "2026-03-02 09:15:4",
                                "2026-13-02 09:15:48",
                                "2026-02-30 09:15:48",
                                "2026-00-02 09:15:48",
                                "2026-03-02 24:15:48",
                                "2026-03-02 09:60:48",
                                "2026-03-02 09:15:61",
                                "2026-03-02x09:15:48",
                                "x026-03-02 09:15:48",
                                "20x6-03-02 09:15:48",
                                "2026-x3-02 09:15:48",
                                "2026-03-0x 09:15:48",
                                "2026-03-02 x9:15:48",
                                "2026-03-02 09:x5:48",
                                "2026-03-02 09:15:4x",
                                "2026/03-02 09:15:48",
                                "2026-03/02 09:15:48",
                                "2026-03-02 09.15:48",
                                "2026-03-02 09:15.48"}) {
    EXPECT_FALSE(TakeTime(text, 0).has_value()) << text;
  }
}

TEST(LineTimeTest, Numbers) {
  EXPECT_EQ(TimeOfNumber(1772442948.5), kMoment * 1000 + 500);
  EXPECT_EQ(TimeOfNumber(1772442948500.0), kMoment * 1000 + 500);
  EXPECT_EQ(TimeOfNumber(1772442948500000.0), kMoment * 1000 + 500);
  EXPECT_EQ(TimeOfNumber(1772442948500000000.0), kMoment * 1000 + 500);
  // Seconds, milliseconds, microseconds and nanoseconds by size.
  EXPECT_EQ(TimeOfNumber(1e6), 1'000'000'000);
  EXPECT_EQ(TimeOfNumber(99'999'999'999.0), 99'999'999'999'000);
  EXPECT_EQ(TimeOfNumber(1e11), 100'000'000'000);
  EXPECT_EQ(TimeOfNumber(1e14), 100'000'000'000);
  EXPECT_EQ(TimeOfNumber(1e17), 100'000'000'000);
  EXPECT_FALSE(TimeOfNumber(999'999).has_value());
  EXPECT_FALSE(TimeOfNumber(1e19).has_value());
  for (const double value : {0.0, -1.0, 3600.0, 1e30, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(TimeOfNumber(value).has_value()) << value;
  }
}

}  // namespace
}  // namespace lockstep::logs
