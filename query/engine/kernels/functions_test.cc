// Element-wise, calendar and label functions.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "query/engine/kernels/numbers/calendar_functions.h"
#include "query/engine/kernels/numbers/constants.h"
#include "query/engine/kernels/numbers/hash_ratio.h"
#include "query/engine/kernels/numbers/math_functions.h"
#include "query/engine/kernels/numbers/quantile.h"
#include "query/engine/kernels/numbers/xxhash64.h"
#include "query/engine/kernels/text/label_text.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

TEST(MathFunctionsTest, FindsAndComputes) {
  EXPECT_EQ(FindMathFunction(FunctionId::kAbs)(-2), 2);
  EXPECT_EQ(FindMathFunction(FunctionId::kSgn)(-2), -1);
  EXPECT_TRUE(std::isnan(FindMathFunction(FunctionId::kSgn)(kNan)));
  EXPECT_TRUE(std::signbit(FindMathFunction(FunctionId::kSgn)(-0.0)));
  EXPECT_DOUBLE_EQ(FindMathFunction(FunctionId::kDeg)(std::acos(-1)), 180);
  EXPECT_DOUBLE_EQ(FindMathFunction(FunctionId::kRad)(180), std::acos(-1));
  EXPECT_EQ(FindMathFunction(FunctionId::kLog2)(0), -kInfinity);
  EXPECT_EQ(FindMathFunction(FunctionId::kRate), nullptr);
}

TEST(MathFunctionsTest, RoundsTiesUp) {
  EXPECT_EQ(Round(2.5, 1), 3);
  EXPECT_EQ(Round(-2.5, 1), -2);
  EXPECT_DOUBLE_EQ(Round(0.24, 0.1), 0.2);
  EXPECT_DOUBLE_EQ(Round(127, 10), 130);
}

TEST(MathFunctionsTest, ExtremesOfNan) {
  EXPECT_EQ(MaxOf(1, 2), 2);
  EXPECT_EQ(MinOf(1, 2), 1);
  EXPECT_TRUE(std::isnan(MaxOf(kNan, 1)));
  EXPECT_TRUE(std::isnan(MinOf(1, kNan)));
  EXPECT_EQ(MaxOf(kNan, kInfinity), kInfinity);
  EXPECT_EQ(MinOf(-kInfinity, kNan), -kInfinity);
  EXPECT_FALSE(std::signbit(MaxOf(-0.0, 0.0)));
  EXPECT_TRUE(std::signbit(MinOf(0.0, -0.0)));
  EXPECT_EQ(Clamp(5, 1, 3), 3);
  EXPECT_EQ(Clamp(-5, 1, 3), 1);
  EXPECT_TRUE(std::isnan(Clamp(kNan, 1, 3)));
  EXPECT_TRUE(ClampIsEmpty(3, 1));
}

TEST(MathFunctionsTest, OperatorsAsInGo) {
  EXPECT_EQ(Modulo(-5, 3), -2);
  EXPECT_TRUE(std::isnan(Modulo(1, 0)));
  EXPECT_EQ(Modulo(5, kInfinity), 5);
  EXPECT_EQ(Power(1, kNan), 1);
  EXPECT_EQ(Power(kNan, 0), 1);
  EXPECT_EQ(Power(-1, kInfinity), 1);
}

// Values from the calendar.
TEST(CalendarTest, Fields) {
  const auto field = [](FunctionId id, double seconds) {
    return FindCalendarFunction(id)(seconds);
  };
  const double leap_day = 1709210096.9;  // 2024-02-29T12:34:56.9Z, a Thursday
  EXPECT_EQ(field(FunctionId::kYear, leap_day), 2024);
  EXPECT_EQ(field(FunctionId::kMonth, leap_day), 2);
  EXPECT_EQ(field(FunctionId::kDayOfMonth, leap_day), 29);
  EXPECT_EQ(field(FunctionId::kDayOfYear, leap_day), 60);
  EXPECT_EQ(field(FunctionId::kDaysInMonth, leap_day), 29);
  EXPECT_EQ(field(FunctionId::kDayOfWeek, leap_day), 4);
  EXPECT_EQ(field(FunctionId::kHour, leap_day), 12);
  EXPECT_EQ(field(FunctionId::kMinute, leap_day), 34);
  const double before_epoch = -1;  // 1969-12-31T23:59:59Z, a Wednesday
  EXPECT_EQ(field(FunctionId::kYear, before_epoch), 1969);
  EXPECT_EQ(field(FunctionId::kDayOfYear, before_epoch), 365);
  EXPECT_EQ(field(FunctionId::kDayOfWeek, before_epoch), 3);
  EXPECT_EQ(field(FunctionId::kMinute, before_epoch), 59);
  EXPECT_EQ(field(FunctionId::kDaysInMonth, 951782400), 29);    // 2000-02-29
  EXPECT_EQ(field(FunctionId::kDaysInMonth, -2203934400), 28);  // 1900-02-28
  EXPECT_EQ(FindCalendarFunction(FunctionId::kAbs), nullptr);
}

// They become the lowest integer, which Go on amd64 interprets as 2^63 seconds: 292277026596-12-04.
TEST(CalendarTest, NumbersThatAreNoTime) {
  for (const double seconds : {kNan, kInfinity, -kInfinity, 1e300, -1e300}) {
    EXPECT_EQ(FindCalendarFunction(FunctionId::kYear)(seconds), 292277026596);
    EXPECT_EQ(FindCalendarFunction(FunctionId::kMonth)(seconds), 12);
    EXPECT_EQ(FindCalendarFunction(FunctionId::kDayOfYear)(seconds), 339);
  }
}

std::optional<std::string> Replace(std::string_view regex, std::string_view replacement,
                                   std::string_view value) {
  return LabelReplacement::Make(regex, replacement).value().Apply(value).value();
}

TEST(LabelReplacementTest, ExpandsGoTemplates) {
  const struct {
    const char* regex;
    const char* replacement;
    const char* value;
    std::optional<std::string> result;
  } rows[] = {
      {"(.*)-(.*)", "$2/$1", "a-b", "b/a"},
      {"(.*)", "${1}x", "a", "ax"},
      {"(.*)", "$1x", "a", ""},  // a group named "1x"
      {"(?P<word>.*)", "<$word>", "a", "<a>"},
      {"(?P<word>.*)", "${word}s", "a", "as"},
      {"(.*)", "$$1 $", "a", "$1 $"},
      {"(.*)", "${1", "a", "${1"},
      {"(.*)", "$9|$01|$name", "a", "||"},
      {"(a)|(b)", "<$1$2>", "b", "<b>"},
      {"a.b", "x", "a\nb", "x"},  // the dot matches a newline
      {"a", "x", "ab", {}},       // the whole value or nothing
      {"a|ab", "x", "ab", "x"},
      {"", "x", "", "x"},
      {".*", "", "a", ""},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Replace(row.regex, row.replacement, row.value), row.result) << row.replacement;
  }
}

TEST(LabelReplacementTest, RefusesABadExpression) {
  const auto made = LabelReplacement::Make("(.*", "$1");
  EXPECT_EQ(made.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(made.status()), "invalid regular expression in label_replace(): (.*");
}

TEST(LabelReplacementTest, MakesValuesUpToALimit) {
  const std::string half(kMaxMadeLabelBytes / 2, 'x');
  EXPECT_EQ(Replace("(.*)", "$1$1", half)->size(), kMaxMadeLabelBytes);
  const auto made = LabelReplacement::Make("(.*)", "$1$1.")->Apply(half);
  EXPECT_EQ(made.status(), absl::FailedPreconditionError(
                               "label_replace() would make a label value of 65537 bytes, more than "
                               "the limit of 65536"));
}

TEST(NaturalLessTest, OrdersNumbersInsideText) {
  const std::vector<std::string> ordered = {"",
                                            "-",
                                            "1",
                                            "2",
                                            "10",
                                            "10a",
                                            "99999999999999999998",
                                            "99999999999999999999",
                                            "100000000000000000000",
                                            "a",
                                            "a01",
                                            "a1",
                                            "a1b",
                                            "a2",
                                            "a10",
                                            "b"};
  for (size_t i = 0; i < ordered.size(); ++i) {
    for (size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(NaturalLess(ordered[i], ordered[j]), i < j) << ordered[i] << " " << ordered[j];
    }
  }
}

// Values from the reference implementation's test suite.
TEST(XxHash64Test, GoldenValues) {
  EXPECT_EQ(XxHash64(""), 0xEF46DB3751D8E999);
  EXPECT_EQ(XxHash64("a"), 0xD24EC4F1A98C6E5B);
  EXPECT_EQ(XxHash64("abc"), 0x44BC2CF5AD770999);
  EXPECT_EQ(XxHash64("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1);
}

TEST(HashRatioTest, RatiosComplementEachOther) {
  int kept = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string value = std::to_string(i);
    const LabelSet labels = LabelSet::Of({{"__name__", "m"}, {"instance", value}});
    EXPECT_TRUE(KeepsByRatio(1, labels));
    EXPECT_TRUE(KeepsByRatio(-1, labels));
    EXPECT_FALSE(KeepsByRatio(0, labels));
    EXPECT_NE(KeepsByRatio(0.3, labels), KeepsByRatio(-0.7, labels));
    kept += KeepsByRatio(0.3, labels);
  }
  EXPECT_NEAR(kept, 600, 100);
}

TEST(QuantileTest, OfFewValues) {
  std::vector<double> none;
  EXPECT_TRUE(std::isnan(Quantile(0.5, none)));
  std::vector<double> one = {7};
  EXPECT_EQ(Quantile(0, one), 7);
  EXPECT_EQ(Quantile(1, one), 7);
  std::vector<double> many = {9, 1, 8, 2, 7, 3, 6, 4, 5};
  EXPECT_DOUBLE_EQ(Quantile(0.5, many), 5);
  EXPECT_DOUBLE_EQ(Quantile(0.9, many), 8.2);
  EXPECT_DOUBLE_EQ(Quantile(1, many), 9);
  EXPECT_TRUE(IsInvalidQuantile(kNan));
  EXPECT_FALSE(IsInvalidQuantile(1));
}

}  // namespace
}  // namespace lockstep::engine
