#include "query/notation/series_notation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/text/float_format.h"
#include "model/sample.h"

namespace lockstep::notation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The slots of a line: numbers, "_", "stale", and the count of histograms in braces with a "!" if
// their hint is given; or the error.
std::vector<std::string> Slots(const std::string& values) {
  const auto line = ParseSeriesLine("m " + values);
  if (!line.ok()) return {std::string(Message(line.status()))};
  std::vector<std::string> slots;
  for (const Slot& slot : line->slots) {
    if (!slot.has_value()) {
      slots.emplace_back("_");
    } else if (slot->histogram != nullptr) {
      slots.push_back("{" + FormatSampleValue(slot->histogram->count) + "}" +
                      (slot->names_hint ? "!" : ""));
    } else if (IsStaleNan(slot->value)) {
      slots.emplace_back("stale");
    } else {
      slots.push_back(FormatSampleValue(slot->value));
    }
  }
  return slots;
}

std::string Labels(std::string_view line) {
  const auto parsed = ParseSeriesLine(line);
  if (!parsed.ok()) return std::string(Message(parsed.status()));
  return parsed->labels.ToString() + " with " + std::to_string(parsed->slots.size());
}

TEST(SeriesNotation, ReadsNumbersAndGaps) {
  EXPECT_THAT(Slots("1 -2.5 +3 1e3 2E-1 1e+2"),
              ElementsAre("1", "-2.5", "3", "1000", "0.2", "100"));
  EXPECT_THAT(Slots("1 _ 2"), ElementsAre("1", "_", "2"));
  EXPECT_THAT(Slots("_x3 2"), ElementsAre("_", "_", "_", "2"));
  EXPECT_THAT(Slots("_x0 2"), ElementsAre("2"));
  EXPECT_THAT(Slots("stale 1"), ElementsAre("stale", "1"));
  EXPECT_THAT(Slots("Inf -inf +INF NaN nan"), ElementsAre("+Inf", "-Inf", "+Inf", "NaN", "NaN"));
}

TEST(SeriesNotation, ReadsDurations) {
  EXPECT_THAT(Slots("5m 1m30s -1h 10ms"), ElementsAre("300", "90", "-3600", "0.01"));
  EXPECT_THAT(Slots("1d+1hx1"), ElementsAre("86400", "90000"));
}

TEST(SeriesNotation, BlanksAreSpacesAndTabs) {
  EXPECT_THAT(Slots("  1\t2 \t 3  "), ElementsAre("1", "2", "3"));
  EXPECT_THAT(Slots(""), IsEmpty());
}

// axN are a and N more.
TEST(SeriesNotation, RepeatsNumbers) {
  EXPECT_THAT(Slots("7x2"), ElementsAre("7", "7", "7"));
  EXPECT_THAT(Slots("7x0"), ElementsAre("7"));
  EXPECT_THAT(Slots("1+2x3"), ElementsAre("1", "3", "5", "7"));
  EXPECT_THAT(Slots("10-2.5x2 4"), ElementsAre("10", "7.5", "5", "4"));
  EXPECT_THAT(Slots("-1-1x1"), ElementsAre("-1", "-2"));
  EXPECT_THAT(Slots("1e2+1e1x1"), ElementsAre("100", "110"));
  EXPECT_THAT(Slots("Inf-1x1"), ElementsAre("+Inf", "+Inf"));
  EXPECT_THAT(Slots("1+Infx1"), ElementsAre("1", "+Inf"));
}

TEST(SeriesNotation, RepeatsHistograms) {
  EXPECT_THAT(Slots("{{count:3}} 1"), ElementsAre("{3}", "1"));
  EXPECT_THAT(Slots("{{count:3}}x2"), ElementsAre("{3}", "{3}", "{3}"));
  EXPECT_THAT(Slots("{{count:3}}+{{count:2}}x2 5"), ElementsAre("{3}", "{5}", "{7}", "5"));
  EXPECT_THAT(Slots("{{count:3}}-{{count:1}}x2"), ElementsAre("{3}", "{2}", "{1}"));
  EXPECT_THAT(Slots("{{sum:1 count:3 buckets:[1 2]}} 4"), ElementsAre("{3}", "4"));
  EXPECT_THAT(Slots("{{count:3 counter_reset_hint:reset}}x1"), ElementsAre("{3}!", "{3}!"));
}

TEST(SeriesNotation, SaysWhatIsMalformed) {
  EXPECT_THAT(Slots("x"), ElementsAre("invalid value: 'x'"));
  EXPECT_THAT(Slots("1 -"), ElementsAre("invalid value: '-'"));
  EXPECT_THAT(Slots("1+x2"), ElementsAre("invalid value: '1+x2'"));
  EXPECT_THAT(Slots("1.2.3"), ElementsAre("invalid value: '1.2.3'"));
  EXPECT_THAT(Slots("1+1"), ElementsAre("1"));
  EXPECT_THAT(Slots("1x"), ElementsAre("invalid repetition: 'x'"));
  EXPECT_THAT(Slots("1x2y"), ElementsAre("invalid repetition: 'x2y'"));
  EXPECT_THAT(Slots("_5"), ElementsAre("invalid repetition: '5'"));
  EXPECT_THAT(Slots("{{count:1}"), ElementsAre("invalid histogram: '{{count:1}'"));
  EXPECT_THAT(Slots("{{count:1}}+{{count:1}"),
              ElementsAre("invalid histogram: '{{count:1}}+{{count:1}'"));
  EXPECT_THAT(Slots("{{count:1}}+{{total:1}}x1"),
              ElementsAre("unknown field of a histogram: 'total'"));
  EXPECT_THAT(Slots("{{schema:1}}+{{schema:0}}x1"),
              ElementsAre("these histograms cannot be added in a series"));
  EXPECT_THAT(Slots("{{count:1}}y2"), ElementsAre("invalid histogram: '{{count:1}}y2'"));
}

TEST(SeriesNotation, TheSeriesEndsBehindItsBraces) {
  EXPECT_EQ(Labels("m 1 2"), "m with 2");
  EXPECT_EQ(Labels("m\t1"), "m with 1");
  EXPECT_EQ(Labels("m"), "m with 0");
  EXPECT_EQ(Labels("{a=\"b\"} 1"), "{a=\"b\"} with 1");
  EXPECT_EQ(Labels("m{a = \"b\", c=\"d\"}1 2"), "m{a=\"b\", c=\"d\"} with 2");
  EXPECT_EQ(Labels("m{a=\"}\", b='}', c=`}`} 1"), "m{a=\"}\", b=\"}\", c=\"}\"} with 1");
  EXPECT_EQ(Labels(R"(m{a="\"}"} 1)"), R"(m{a="\"}"} with 1)");
  EXPECT_EQ(Labels(R"(m{a=`\`} 1)"), R"(m{a="\\"} with 1)");
  EXPECT_EQ(Labels("m{a!=\"b\"} 1"), "invalid series: 'm{a!=\"b\"}'");
}

TEST(SeriesNotation, ParsesValues) {
  EXPECT_EQ(ParseValue("12.5"), 12.5);
  EXPECT_EQ(ParseValue("-12.5"), -12.5);
  EXPECT_EQ(ParseValue("+1e3"), 1000);
  EXPECT_EQ(ParseValue("-Inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(ParseValue("iNf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(ParseValue("NaN").value()));
  EXPECT_EQ(ParseValue("-1m500ms"), -60.5);
  for (const char* text : {"", "-", "x", "1x", "0x10", "5mx"}) {
    EXPECT_EQ(ParseValue(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lockstep::notation
