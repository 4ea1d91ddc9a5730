// Aggregations as the engine evaluates them: parameters, order, annotations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class AggregationsTest : public EngineFixture {
 protected:
  void LoadSix() {
    for (int i = 0; i < 6; ++i) {
      Load({{"__name__", "m"}, {"g", i % 2 == 0 ? "a" : "b"}, {"i", std::to_string(i)}},
           {10.0 * i, 60.0 - 10 * i});
    }
  }
  void LoadOneHistogram() {
    Histogram histogram;
    histogram.count = histogram.zero_count = 3;
    LoadHistogram({{"__name__", "h"}, {"g", "a"}}, histogram);
  }
  std::string Error(std::string_view text) {
    const auto result = Instant(text);
    return result.ok() ? "no error" : std::string(Message(result.status()));
  }
  // The label i of each element, in order.
  std::string Chosen(std::string_view text) {
    const auto result = Instant(text);
    if (!result.ok()) return std::string(Message(result.status()));
    std::string chosen;
    for (const VectorElement& element : std::get<VectorResult>(result->value)) {
      chosen += element.labels.Get("i");
    }
    return chosen;
  }
};

TEST_F(AggregationsTest, RanksAreInOrderGroupByGroup) {
  LoadSix();
  EXPECT_EQ(Chosen("topk(3, m)"), "543");
  EXPECT_EQ(Chosen("bottomk(3, m)"), "012");
  EXPECT_EQ(Chosen("topk by (g) (2, m)"), "4253");
  EXPECT_EQ(Chosen("topk without (i) (1, m)"), "45");
  EXPECT_EQ(Chosen("topk(100, m)"), "543210");
  EXPECT_EQ(Chosen("topk(2.9, m)"), "54");
  // Of equal ones, those that come first.
  EXPECT_EQ(Chosen("topk(2, m * 0)"), "02");
  EXPECT_EQ(Chosen("bottomk(2, m * 0)"), "02");
  // Names are kept.
  EXPECT_THAT(InstantLines("topk(1, m)"), ElementsAre("m{g=\"b\", i=\"5\"} 50"));
  // A range is sorted by labels.
  EXPECT_THAT(RangeLines("topk(1, m)", 0, kMinute),
              ElementsAre("m{g=\"a\", i=\"0\"} 60@60", "m{g=\"b\", i=\"5\"} 50@0"));
}

TEST_F(AggregationsTest, NanRanksLast) {
  Load({{"__name__", "m"}, {"i", "0"}}, {NAN});
  Load({{"__name__", "m"}, {"i", "1"}}, {1});
  Load({{"__name__", "m"}, {"i", "2"}}, {2});
  EXPECT_EQ(Chosen("topk(3, m)"), "210");
  EXPECT_EQ(Chosen("bottomk(3, m)"), "120");
  EXPECT_EQ(Chosen("topk(2, m)"), "21");
}

TEST_F(AggregationsTest, LimitsTakeTheFirst) {
  LoadSix();
  EXPECT_EQ(Chosen("limitk(2, m)").size(), 2u);
  EXPECT_EQ(Chosen("limitk by (g) (2, m)").size(), 4u);
  EXPECT_EQ(Chosen("limitk(9, m)").size(), 6u);
  EXPECT_EQ(Chosen("limit_ratio(1, m)").size(), 6u);
  EXPECT_EQ(Chosen("limit_ratio(-1, m)").size(), 6u);
  EXPECT_EQ(Chosen("limit_ratio(0, m)"), "");
  // A ratio and its negative rest are all.
  EXPECT_EQ(Chosen("limit_ratio(0.4, m)").size() + Chosen("limit_ratio(-0.6, m)").size(), 6u);
}

TEST_F(AggregationsTest, CountsBelowOneTakeNothing) {
  LoadSix();
  for (const char* text :
       {"topk(0, m)", "topk(0.99, m)", "bottomk(-3, m)", "limitk(0, m)", "topk(-1e300, m)"}) {
    EXPECT_EQ(Chosen(text), "") << text;
  }
}

TEST_F(AggregationsTest, CountsAreIntegers) {
  LoadSix();
  EXPECT_EQ(Error("topk(NaN, m)"), "Parameter value is NaN");
  EXPECT_EQ(Error("limitk(NaN, m)"), "Parameter value is NaN");
  EXPECT_EQ(Error("topk(9223372036854775808, m)"),
            "Scalar value 9.223372036854776e+18 overflows int64");
  EXPECT_EQ(Error("topk(+Inf, m)"), "Scalar value +Inf overflows int64");
  EXPECT_EQ(Error("topk(9223372036854774784, m)"), "no error");
  EXPECT_EQ(Error("limit_ratio(NaN, m)"), "Ratio value is NaN");
  // Judged over all steps.
  Load({{"__name__", "k"}}, {1, -1e300});
  EXPECT_THAT(RangeLines("topk(scalar(k), m)", 0, kMinute),
              ElementsAre(HasSubstr("underflows int64")));
  Load({{"__name__", "k"}}, {1, NAN});
  EXPECT_THAT(RangeLines("topk(scalar(k), m)", 0, kMinute), ElementsAre("Parameter value is NaN"));
  Load({{"__name__", "k"}}, {0, 1});
  EXPECT_THAT(RangeLines("topk(scalar(k), m)", 0, kMinute),
              ElementsAre("m{g=\"a\", i=\"0\"} 60@60"));
}

TEST_F(AggregationsTest, RatiosAreCapped) {
  LoadSix();
  EXPECT_THAT(
      Notes("limit_ratio((1.5), m)"),
      ElementsAre("PromQL warning: ratio value should be between -1 and 1, got 1.5, capping "
                  "to 1 (1:14)"));
  EXPECT_THAT(Notes("limit_ratio(-1.5, m)"),
              ElementsAre("PromQL warning: ratio value should be between -1 and 1, got -1.5, "
                          "capping to -1 (1:13)"));
  EXPECT_THAT(Notes("limit_ratio(1, m) or limit_ratio(-1, m)"), IsEmpty());
  EXPECT_EQ(Chosen("limit_ratio(1.5, m)").size(), 6u);
}

TEST_F(AggregationsTest, QuantilesOutsideOfZeroToOneWarn) {
  Load({{"__name__", "m"}}, {1, 1, 1});
  Load({{"__name__", "q"}}, {-1, 2, 0.5});
  EXPECT_THAT(Notes("quantile(1, m) + quantile(0, m)"), IsEmpty());
  EXPECT_THAT(Notes("quantile((1.5), m)"),
              ElementsAre("PromQL warning: quantile value should be between 0 and 1, got 1.5 "
                          "(1:11)"));
  const auto result = Range("quantile(scalar(q), m)", 0, 2 * kMinute);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->annotations.warnings, ElementsAre(HasSubstr("got 2"), HasSubstr("got -1")));
  EXPECT_THAT(Lines(std::get<MatrixResult>(result->value)), ElementsAre("{} -Inf@0 +Inf@60 1@120"));
}

TEST_F(AggregationsTest, ValuesAreCountedByTheirText) {
  Load({{"__name__", "m"}, {"g", "a"}, {"i", "0"}}, {1, 2, 2});
  Load({{"__name__", "m"}, {"g", "a"}, {"i", "1"}}, {1, 1, 2.5});
  Load({{"__name__", "m"}, {"g", "b"}, {"i", "2"}}, {1, 1, StaleNan()});
  EXPECT_THAT(RangeLines("count_values(\"v\", m)", 0, 2 * kMinute),
              ElementsAre("{v=\"1\"} 3@0 2@60", "{v=\"2\"} 1@60 1@120", "{v=\"2.5\"} 1@120"));
  EXPECT_THAT(InstantLines("count_values by (g) (\"v\", m)"),
              UnorderedElementsAre("{g=\"a\", v=\"1\"} 2", "{g=\"b\", v=\"1\"} 1"));
  EXPECT_THAT(InstantLines("count_values without (i) (\"g\", m)"),
              UnorderedElementsAre("{g=\"1\"} 3"));
  // A label that is dropped cannot tell values apart.
  EXPECT_THAT(InstantLines("count_values without (i, v) (\"v\", m)", kMinute),
              UnorderedElementsAre("{g=\"a\"} 2", "{g=\"b\"} 1"));
  Load({{"__name__", "z"}}, {7, 0, 0, 7});
  EXPECT_THAT(RangeLines("count_values(\"v\", z)", 0, 3 * kMinute),
              ElementsAre("{v=\"0\"} 1@60 1@120", "{v=\"7\"} 1@0 1@180"));
  EXPECT_EQ(Error("count_values(\"\", m)"), "invalid label name \"\"");
  EXPECT_EQ(Error("count_values((\"\\xff\"), m)"), "invalid label name \"\\xff\"");
}

TEST_F(AggregationsTest, HistogramsAreCountedByTheirText) {
  LoadOneHistogram();
  Load({{"__name__", "m"}}, {3});
  EXPECT_THAT(InstantLines("count_values(\"v\", {__name__=~\"h|m\"})"),
              UnorderedElementsAre("{v=\"3\"} 1", HasSubstr("{v=\"{count:3, sum:0")));
}

TEST_F(AggregationsTest, HistogramsAmongFloatsAreNoted) {
  LoadOneHistogram();
  Load({{"__name__", "m"}, {"g", "a"}}, {5});
  Load({{"__name__", "m"}, {"g", "b"}}, {7});
  const std::string both = "({__name__=~\"h|m\"})";
  EXPECT_THAT(InstantLines("sum by (g) " + both), ElementsAre("{g=\"b\"} 7"));
  EXPECT_THAT(Notes("sum by (g) " + both),
              ElementsAre("PromQL warning: encountered a mix of histograms and floats for "
                          "aggregation (1:13)"));
  for (const char* op : {"min", "max", "stddev", "stdvar"}) {
    EXPECT_THAT(Notes(op + both), ElementsAre(HasSubstr("PromQL info: ignored histogram in " +
                                                        std::string(op) + " aggregation")));
  }
  for (const char* op : {"topk", "bottomk"}) {
    EXPECT_THAT(
        Notes(std::string(op) + "(9, " + both + ")"),
        ElementsAre("PromQL info: ignored histogram in " + std::string(op) + " aggregation (1:1)"));
  }
  EXPECT_THAT(InstantLines("max " + both), ElementsAre("{} 7"));
  EXPECT_THAT(InstantLines("count " + both), ElementsAre("{} 3"));
  EXPECT_THAT(InstantLines("group " + both), ElementsAre("{} 1"));
}

TEST_F(AggregationsTest, GroupsHaveTheirLabels) {
  Load({{"__name__", "m"}, {"a", "1"}, {"b", "2"}, {"c", "3"}}, {5});
  EXPECT_THAT(InstantLines("sum(m)"), ElementsAre("{} 5"));
  EXPECT_THAT(InstantLines("sum by (c, a, none) (m)"), ElementsAre("{a=\"1\", c=\"3\"} 5"));
  EXPECT_THAT(InstantLines("sum without (c, a, none) (m)"), ElementsAre("{b=\"2\"} 5"));
  EXPECT_THAT(InstantLines("sum without () (m)"), ElementsAre("{a=\"1\", b=\"2\", c=\"3\"} 5"));
  EXPECT_THAT(InstantLines("sum by (__name__, a) (m)"), ElementsAre("m{a=\"1\"} 5"));
  // A name that is going to be dropped does so in its group.
  EXPECT_THAT(InstantLines("sum by (__name__, a) (abs(m))"), ElementsAre("{a=\"1\"} 5"));
  EXPECT_THAT(InstantLines("count_values by (a) (\"__name__\", abs(m))"),
              ElementsAre("{\"5\", a=\"1\"} 1"));
}

}  // namespace
}  // namespace lockstep::engine
