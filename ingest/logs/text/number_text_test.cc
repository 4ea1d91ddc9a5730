#include "ingest/logs/text/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "absl/strings/str_format.h"
#include "ingest/logs/text/short_number.h"

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
  check("1e22", 1e22, "");
  check("1e23", 1e23, "");
  check("1e0005", 1e5, "");
  check("-1e400", -std::numeric_limits<double>::infinity(), "");
  check("1E-400", 0, "");
  check("12,345x", 12345, "x");
  check("1,23x", 1, ",23x");
  check("1,2345", 12345, "");
  check("1,234,", 1234, ",");
  // Up to 32 digits.
  check("1,234567890123456789012345678901", 1234567890123456789012345678901.0, "");
  check("1,2345678901234567890123456789012", 12345678901234567890123456789012.0, "");
  EXPECT_FALSE(NumberOf("1,23456789012345678901234567890123").has_value());
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
  EXPECT_EQ(RankOf("0"), 0);
  std::string_view text = "12]";
  EXPECT_EQ(TakeRank(text), 12);
  EXPECT_EQ(text, "]");
  text = "-1]";
  EXPECT_FALSE(TakeRank(text).has_value());
  EXPECT_EQ(text, "-1]");
  for (const std::string_view text : {"", "-1", "10000000", "1x", "99999999999999999999"}) {
    EXPECT_FALSE(RankOf(text).has_value()) << text;
  }
}

TEST(NumberTextTest, Integers) {
  EXPECT_EQ(IntegerOf("\t-12 "), -12);
  EXPECT_EQ(IntegerOf("9223372036854775807"), std::numeric_limits<int64_t>::max());
  for (const std::string_view text : {"", " ", "9223372036854775808", "1.5", "1 2", "x", "+1"}) {
    EXPECT_FALSE(IntegerOf(text).has_value()) << text;
  }
  std::string_view text = "x";
  EXPECT_FALSE(TakeInteger(text).has_value());
  EXPECT_EQ(text, "x");
}

TEST(NumberTextTest, NumbersOfJson) {
  const auto taken = [](std::string_view text) {
    const auto number = TakeJsonNumber(text);
    return number.has_value() ? absl::StrFormat("%g|%s", *number, text) : "";
  };
  EXPECT_EQ(taken("1.5,"), "1.5|,");
  EXPECT_EQ(taken("-2e3}"), "-2000|}");
  EXPECT_EQ(taken("7"), "7|");
  for (const std::string_view text : {"7.", "7.,", "7.e5", "1e999", "x", ""}) {
    EXPECT_EQ(taken(text), "") << text;
  }
}

TEST(NumberTextTest, ShortNumbersLeaveLongOnesAlone) {
  // Padded, because more than the number is read.
  const auto taken = [](std::string_view text) {
    const std::string padded = std::string(text) + std::string(kShortNumberBytes, '\0');
    double value = 0;
    const char* const end = TakeShortNumber(padded.data(), value);
    return end == nullptr
               ? ""
               : absl::StrFormat("%.17g|%s", value, padded.data() + (end - padded.data()));
  };
  EXPECT_EQ(taken("123456789012345x"), "123456789012345|x");
  EXPECT_EQ(taken("1e5x"), "100000|x");
  EXPECT_EQ(taken("1e+05"), "100000|");
  EXPECT_EQ(taken("25e-1"), "2.5|");
  EXPECT_EQ(taken("2.5E1"), "25|");
  EXPECT_EQ(taken("2.5e1"), "25|");
  EXPECT_EQ(taken("1e022"), "1e+22|");
  EXPECT_EQ(taken("1e-22"), "1e-22|");
  for (const std::string_view text : {"1234567890123456", "1e23", "1e-23", "1.5e-22", "1e", "1e+",
                                      "1ex", "1e0022", "1.", ".5", "", "x", "-", "+1"}) {
    EXPECT_EQ(taken(text), "") << text;
  }
}

TEST(NumberTextTest, Units) {
  EXPECT_EQ(BytesOfUnit("B"), 1);
  EXPECT_EQ(BytesOfUnit("KB"), 1000);
  EXPECT_EQ(BytesOfUnit("GiB"), 1 << 30);
  EXPECT_EQ(BytesOfUnit("TB"), 1e12);
  EXPECT_EQ(BytesOfUnit("MB"), 1e6);
  EXPECT_EQ(BytesOfUnit("KiB"), 1024);
  EXPECT_EQ(BytesOfUnit("PiB"), 0x1p50);
  for (const std::string_view unit : {"", "K", "iB", "xB", "EB", "KiiB", "KBB", "Ki"}) {
    EXPECT_EQ(BytesOfUnit(unit), 0) << unit;
  }
  EXPECT_EQ(BytesOfUnit("ms"), 0);
  EXPECT_EQ(BytesOfUnit("GxB"), 0);
}

}  // namespace
}  // namespace lockstep::logs
