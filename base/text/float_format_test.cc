#include "base/text/float_format.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

struct Row {
  double value;
  const char* sample;
  const char* plain;
  const char* brief;
};

// Expectations printed by Go's strconv.FormatFloat ('e' or 'f', and 'f') and fmt's %g.
TEST(FloatFormatTest, PrintsWhatPrometheusPrints) {
  const Row rows[] = {
      {0, "0", "0", "0"},
      {-0.0, "-0", "-0", "-0"},
      {1, "1", "1", "1"},
      {-2.5, "-2.5", "-2.5", "-2.5"},
      {0.1, "0.1", "0.1", "0.1"},
      {100000, "100000", "100000", "100000"},
      {1e6, "1000000", "1000000", "1e+06"},
      {1234567, "1234567", "1234567", "1.234567e+06"},
      {123456789.5, "123456789.5", "123456789.5", "1.234567895e+08"},
      {9007199254740992, "9007199254740992", "9007199254740992", "9.007199254740992e+15"},
      {1e20, "100000000000000000000", "100000000000000000000", "1e+20"},
      {1.2345678901234567e20, "123456789012345670000", "123456789012345670000",
       "1.2345678901234567e+20"},
      {1e21, "1e+21", "1000000000000000000000", "1e+21"},
      {1e22, "1e+22", "10000000000000000000000", "1e+22"},
      {0.000123, "0.000123", "0.000123", "0.000123"},
      {1e-4, "0.0001", "0.0001", "0.0001"},
      {1e-5, "0.00001", "0.00001", "1e-05"},
      {1e-6, "0.000001", "0.000001", "1e-06"},
      {9.999999e-7, "9.999999e-07", "0.0000009999999", "9.999999e-07"},
      {1.5e-10, "1.5e-10", "0.00000000015", "1.5e-10"},
      {std::nan(""), "NaN", "NaN", "NaN"},
      {std::numeric_limits<double>::infinity(), "+Inf", "+Inf", "+Inf"},
      {-std::numeric_limits<double>::infinity(), "-Inf", "-Inf", "-Inf"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(FormatSampleValue(row.value), row.sample);
    EXPECT_EQ(FormatPlainValue(row.value), row.plain);
    EXPECT_EQ(FormatShortValue(row.value), row.brief);
  }
}

TEST(FloatFormatTest, TheFastWaysPrintWhatTheOthersDo) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300'000; ++i) {
    const auto whole = static_cast<double>(random() % 10'000'000'000) * (i % 2 == 0 ? 1 : -1);
    const double places = std::pow(10, static_cast<double>(random() % 13));
    for (const double value : {whole / places, whole * 0.1, whole / places + 1e-7, whole / 3}) {
      // FormatPlainValue() has no fast path, so it serves as the reference.
      if (std::fabs(value) >= 1e-6 || value == 0) {
        ASSERT_EQ(FormatSampleValue(value), FormatPlainValue(value));
      }
      ASSERT_EQ(std::strtod(FormatSampleValue(value).c_str(), nullptr), value);
    }
  }
  for (const double value : {1e-4, 1e-5, 0.5, -0.0001, 9999.9999, 1e11, 99999999999.9999, 1e10}) {
    EXPECT_EQ(FormatSampleValue(value), FormatPlainValue(value));
  }
}

TEST(FloatFormatTest, PrintsTheExtremes) {
  EXPECT_EQ(FormatSampleValue(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(FormatSampleValue(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(FormatPlainValue(std::numeric_limits<double>::denorm_min()),
            "0." + std::string(323, '0') + "5");
  EXPECT_EQ(FormatPlainValue(std::numeric_limits<double>::max()),
            "17976931348623157" + std::string(292, '0'));
}

TEST(FloatFormatTest, ReadsBackAsTheSameNumber) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(std::strtod(FormatSampleValue(value).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(FormatPlainValue(value).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(FormatShortValue(value).c_str(), nullptr), value);
  }
}

TEST(FloatFormatTest, PrintsTimes) {
  struct TimeRow {
    int64_t timestamp_ms;
    const char* fixed;
    const char* shortest;
  };
  const TimeRow rows[] = {
      {0, "0", "0"},
      {1000, "1", "1"},
      {1500, "1.500", "1.5"},
      {1, "0.001", "0.001"},
      {20, "0.020", "0.02"},
      {-1, "-0.001", "-0.001"},
      {-62135596800500, "-62135596800.500", "-62135596800.5"},
      {1435781430781, "1435781430.781", "1435781430.781"},
      {std::numeric_limits<int64_t>::min(), "-9223372036854775.808", "-9223372036854775.808"},
  };
  for (const TimeRow& row : rows) {
    std::string fixed, shortest;
    AppendTimestamp(fixed, row.timestamp_ms);
    AppendShortestTimestamp(shortest, row.timestamp_ms);
    EXPECT_EQ(fixed, row.fixed);
    EXPECT_EQ(shortest, row.shortest);
  }
}

}  // namespace
}  // namespace lockstep
