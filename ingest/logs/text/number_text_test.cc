#include "ingest/logs/text/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::logs {
namespace {

TEST(NumberTextTest, Numbers) {
  const auto check = [](std::string_view text, double value, std::string_view rest) {
    const auto found = TakeNumber(text);
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_EQ(std::bit_cast<uint64_t>(*found), std::bit_cast<uint64_t>(value)) << text;
    EXPECT_EQ(text, rest);
  };
  check("1.5e-06", 1.5e-06, "");
  check("4.408391E+00 |", 4.408391, " |");
  check("+3", 3, "");
  check("-0", -0.0, "");
  check("7.", 7, "");
  check(".5", 0.5, "");
  check("1e", 1, "e");
  check("1e5x", 1e5, "x");
  check("6,198", 6198, "");
  check("1,234,567.5ms", 1234567.5, "ms");
  check("1,2", 1, ",2");
  check("-1,000", -1000, "");
  check("47.36GiB(59.75%)", 47.36, "GiB(59.75%)");
  check("0.1234567890123456789", 0.1234567890123456789, "");
  check("123456789012345678901234567890", 123456789012345678901234567890.0, "");
  check("1e400", std::numeric_limits<double>::infinity(), "");
  check("-1e-400", -0.0, "");
  check("inf", std::numeric_limits<double>::infinity(), "");
  check("-Infinity", -std::numeric_limits<double>::infinity(), "");
  EXPECT_TRUE(std::isnan(*NumberOf("nan")));
  for (const std::string_view text : {"", "-", "x", ".", "--1", "N/A", "+-1"}) {
    EXPECT_FALSE(NumberOf(text).has_value()) << text;
  }
}

// Bit for bit what the standard library parses.
TEST(NumberTextTest, ShortNumbersAreRoundedOnce) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const auto digits = static_cast<int64_t>(random() % 1'000'000'000'000'000) >> (random() % 48);
    const auto decimals = static_cast<int>(random() % 20);
    const auto power = static_cast<int>(random() % 50) - 25;
    std::string text = std::to_string(digits);
    if (static_cast<size_t>(decimals) < text.size()) {
      text.insert(text.size() - static_cast<size_t>(decimals), ".");
    }
    if (i % 2 == 0) absl::StrAppendFormat(&text, "e%+03d", power);
    if (text.front() == '.') continue;
    double expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    const auto found = NumberOf(text);
    ASSERT_TRUE(found.has_value()) << text;
    ASSERT_EQ(std::bit_cast<uint64_t>(*found), std::bit_cast<uint64_t>(expected)) << text;
  }
}

TEST(NumberTextTest, Ranks) {
  EXPECT_EQ(RankOf(" 12 "), 12);
  EXPECT_EQ(RankOf("9999999"), 9999999);
  for (const std::string_view text : {"", "-1", "10000000", "1x", "99999999999999999999"}) {
    EXPECT_FALSE(RankOf(text).has_value()) << text;
  }
}

TEST(NumberTextTest, Units) {
  EXPECT_EQ(BytesOfUnit("B"), 1);
  EXPECT_EQ(BytesOfUnit("KB"), 1000);
  EXPECT_EQ(BytesOfUnit("GiB"), 1 << 30);
  EXPECT_EQ(BytesOfUnit("TB"), 1e12);
  EXPECT_EQ(BytesOfUnit("ms"), 0);
  EXPECT_EQ(BytesOfUnit("GxB"), 0);
}

}  // namespace
}  // namespace lockstep::logs
