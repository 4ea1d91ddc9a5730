#include "ingest/exposition/text_number.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace lockstep::exposition {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Prometheus parses values with Go's strconv.ParseFloat.
TEST(TextNumberTest, ReadsValues) {
  struct Row {
    std::string_view text;
    double expected;
  };
  for (const Row& row :
       {Row{"0", 0}, Row{"1027", 1027}, Row{"+3", 3}, Row{"-2.5", -2.5}, Row{".5", 0.5},
        Row{"5.", 5}, Row{"1e3", 1000}, Row{"1E-3", 0.001},
        Row{"1.7976931348623157e308", 1.7976931348623157e308}, Row{"1e-400", 0},
        Row{"5e-324", 5e-324}, Row{"+Inf", kInfinity}, Row{"inf", kInfinity},
        Row{"-INF", -kInfinity}, Row{"Infinity", kInfinity}, Row{"-infinity", -kInfinity}}) {
    const absl::StatusOr<double> value = ParseValue(row.text);
    ASSERT_TRUE(value.ok()) << row.text;
    EXPECT_EQ(*value, row.expected) << row.text;
  }
}

TEST(TextNumberTest, EveryNanIsTheOrdinaryOne) {
  for (const std::string_view text : {"NaN", "nan", "NAN"}) {
    const absl::StatusOr<double> value = ParseValue(text);
    ASSERT_TRUE(value.ok()) << text;
    EXPECT_EQ(std::bit_cast<uint64_t>(*value), 0x7ff8000000000001u) << text;
  }
}

TEST(TextNumberTest, RefusesWhatPrometheusRefuses) {
  for (const std::string_view text :
       {"",    "+",   "-",   ".",    "true", "1_2",    "0x10", "0x1p-3", "1e", "1,5",
        "+-1", "-+1", "++1", "+NaN", "-nan", "nan(1)", "infi", "1\r",    "1 ", "٣"}) {
    EXPECT_EQ(Message(ParseValue(text).status()), "\"" + std::string(text) + "\" is not a number");
  }
  EXPECT_EQ(Message(ParseValue("-1e400").status()),
            "\"-1e400\" is not a number that fits into 64 bits");
}

TEST(TextNumberTest, ReadsTimes) {
  struct Row {
    std::string_view seconds;
    int64_t expected_ms;
  };
  // 1395066363.001 * 1000 is a little less than a whole number.
  for (const Row& row : {Row{"0", 0}, Row{"1700000000", 1700000000000}, Row{"-1.5", -1500},
                         Row{"1700000000.001", 1700000000001}, Row{"1.7e9", 1700000000000},
                         Row{"1395066363.001", 1395066363001}}) {
    EXPECT_EQ(ParseSeconds(row.seconds).value(), row.expected_ms) << row.seconds;
  }
  for (const std::string_view text : {"", "soon", "NaN", "Inf", "1e300"}) {
    EXPECT_FALSE(ParseSeconds(text).ok()) << text;
  }
  EXPECT_EQ(ParseMilliseconds("1700000000123").value(), 1700000000123);
  for (const std::string_view text : {"", "1.5", "1e3", "-5", "9223372036854775808"}) {
    EXPECT_FALSE(ParseMilliseconds(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lockstep::exposition
