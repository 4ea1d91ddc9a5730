// Functions of PromQL as the engine evaluates them: arguments, messages, what is dropped.
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

Histogram OfCount(double count) {
  Histogram histogram;
  histogram.count = histogram.zero_count = count;
  return histogram;
}

class FunctionsTest : public EngineFixture {
 protected:
  std::string Error(std::string_view text) {
    const auto result = Instant(text);
    return result.ok() ? "no error" : std::string(Message(result.status()));
  }
};

TEST_F(FunctionsTest, AbsentHasTheLabelsThatWereAskedFor) {
  Load({{"__name__", "m"}, {"a", "1"}}, {1, StaleNan(), 1});
  EXPECT_THAT(RangeLines("absent(m{a=\"1\"})", 0, 2 * kMinute), ElementsAre("{a=\"1\"} 1@60"));
  EXPECT_THAT(InstantLines("absent(n{a=\"1\", b=\"2\", c!=\"3\", d=~\"4\"})"),
              ElementsAre("{a=\"1\", b=\"2\"} 1"));
  // Two matchers of a label ask for none of its values.
  EXPECT_THAT(InstantLines("absent(n{a=\"1\", a=\"2\", b=\"3\"})"), ElementsAre("{b=\"3\"} 1"));
  EXPECT_THAT(InstantLines("absent(n{a=\"1\", a=~\"2\", b=\"3\"})"), ElementsAre("{b=\"3\"} 1"));
  EXPECT_THAT(InstantLines("absent(sum(n{a=\"1\"}))"), ElementsAre("{} 1"));
  EXPECT_THAT(InstantLines("absent((n{a=\"1\"}))"), ElementsAre("{a=\"1\"} 1"));
  EXPECT_THAT(InstantLines("absent_over_time((n{a=\"1\"}[5m]))"), ElementsAre("{a=\"1\"} 1"));
  EXPECT_THAT(RangeLines("absent_over_time(m{a=\"1\"}[1m])", 0, 4 * kMinute),
              ElementsAre("{a=\"1\"} 1@60 1@180 1@240"));
  EXPECT_THAT(RangeLines("absent_over_time(m[1m:1m])", 0, 3 * kMinute), ElementsAre("{} 1@60"));
}

TEST_F(FunctionsTest, TimestampsAreThoseOfSamplesOrSteps) {
  Load({{"__name__", "m"}}, {1, 2});
  LoadHistogram({{"__name__", "h"}}, OfCount(1));
  EXPECT_THAT(InstantLines("timestamp(m)", 100'000), ElementsAre("{} 60"));
  EXPECT_THAT(InstantLines("timestamp((m))", 100'000), ElementsAre("{} 60"));
  EXPECT_THAT(InstantLines("timestamp(m + 0)", 100'000), ElementsAre("{} 100"));
  EXPECT_THAT(InstantLines("timestamp(abs(m))", 100'500), ElementsAre("{} 100.5"));
  EXPECT_THAT(InstantLines("timestamp(m offset 1m)", 100'000), ElementsAre("{} 0"));
  EXPECT_THAT(InstantLines("timestamp(h)", 100'000), ElementsAre("{} 0"));
  EXPECT_THAT(InstantLines("start_timestamp(m + 0)", 100'000), IsEmpty());
}

TEST_F(FunctionsTest, StartTimestampsAreThoseOfTheSample) {
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{"__name__", "m"}}), {{1'000, 5}, {61'000, 6}}, {}});
  request.series.back().start_timestamps_ms = {500, 1'500};
  storage_.Write(std::move(request), [](const auto&) {});
  EXPECT_THAT(InstantLines("start_timestamp(m)", 60'000), ElementsAre("{} 0.5"));
  EXPECT_THAT(InstantLines("start_timestamp((m))", 61'000), ElementsAre("{} 1.5"));
  EXPECT_THAT(InstantLines("start_timestamp(m @ 2)", 0), ElementsAre("{} 0.5"));
}

TEST_F(FunctionsTest, CalendarFunctionsTakeTheTimeOrValues) {
  Load({{"__name__", "m"}}, {3'600, 7'260});
  EXPECT_THAT(RangeLines("minute()", 0, 2 * kMinute), ElementsAre("{} 0@0 1@60 2@120"));
  EXPECT_THAT(InstantLines("hour()", 7'200'000), ElementsAre("{} 2"));
  EXPECT_THAT(InstantLines("hour()", 7'199'999), ElementsAre("{} 1"));
  EXPECT_THAT(RangeLines("hour(m)", 0, kMinute), ElementsAre("{} 1@0 2@60"));
  EXPECT_THAT(RangeLines("minute(m)", 0, kMinute), ElementsAre("{} 0@0 1@60"));
  EXPECT_THAT(InstantLines("year(vector(-1))"), ElementsAre("{} 1969"));
}

TEST_F(FunctionsTest, ClampAndRoundTakeTheArgumentOfTheStep) {
  Load({{"__name__", "m"}}, {10, 20, 35});
  Load({{"__name__", "limit"}}, {15, 15, 30});
  EXPECT_THAT(RangeLines("clamp_max(m, scalar(limit))", 0, 2 * kMinute),
              ElementsAre("{} 10@0 15@60 30@120"));
  EXPECT_THAT(RangeLines("clamp_min(m, scalar(limit))", 0, 2 * kMinute),
              ElementsAre("{} 15@0 20@60 35@120"));
  // Where the limits cross, there is no value.
  EXPECT_THAT(RangeLines("clamp(m, 12, scalar(limit) - 4)", 0, 2 * kMinute),
              ElementsAre("{} 26@120"));
  EXPECT_THAT(RangeLines("clamp(m, 12, 32)", 0, 2 * kMinute), ElementsAre("{} 12@0 20@60 32@120"));
  EXPECT_THAT(RangeLines("round(m, scalar(limit))", 0, 2 * kMinute),
              ElementsAre("{} 15@0 15@60 30@120"));
  EXPECT_THAT(InstantLines("round(m / 4)"), ElementsAre("{} 3"));
}

TEST_F(FunctionsTest, FloatFunctionsDropHistograms) {
  LoadHistogram({{"__name__", "h"}}, OfCount(4));
  Load({{"__name__", "m"}}, {-4});
  for (const char* text : {"abs(h)", "clamp_min(h, 1)", "round(h)", "hour(h)", "sort(h)"}) {
    EXPECT_THAT(InstantLines(text), IsEmpty()) << text;
  }
  EXPECT_THAT(InstantLines("abs({__name__=~\"h|m\"})"), ElementsAre("{} 4"));
  // And those of histograms drop floats.
  EXPECT_THAT(InstantLines("histogram_count({__name__=~\"h|m\"})"), ElementsAre("{} 4"));
  EXPECT_THAT(InstantLines("histogram_sum(m)"), IsEmpty());
  EXPECT_THAT(InstantLines("histogram_stddev(m)"), IsEmpty());
}

TEST_F(FunctionsTest, AScalarIsTheOnlyFloat) {
  Load({{"__name__", "m"}, {"i", "0"}}, {1, 2, StaleNan()});
  Load({{"__name__", "m"}, {"i", "1"}}, {StaleNan(), 3});
  LoadHistogram({{"__name__", "m"}, {"i", "2"}}, OfCount(4));
  EXPECT_THAT(RangeLines("scalar(m)", 0, 2 * kMinute), ElementsAre("{} 1@0 NaN@60 3@120"));
  EXPECT_THAT(RangeLines("vector(scalar(m))", 0, 0), ElementsAre("{} 1@0"));
  EXPECT_THAT(RangeLines("scalar(none)", 0, 0), ElementsAre("{} NaN@0"));
}

TEST_F(FunctionsTest, TimesOfTheQueryAreScalars) {
  EXPECT_THAT(RangeLines("start()", kMinute, 2 * kMinute), ElementsAre("{} 60@60 60@120"));
  EXPECT_THAT(RangeLines("end()", kMinute, 2 * kMinute), ElementsAre("{} 120@60 120@120"));
  EXPECT_THAT(RangeLines("range()", kMinute, 2 * kMinute), ElementsAre("{} 60@60 60@120"));
  EXPECT_THAT(RangeLines("max_of(time(), 90)", kMinute, 2 * kMinute),
              ElementsAre("{} 90@60 120@120"));
  EXPECT_THAT(RangeLines("min_of(time(), 90)", kMinute, 2 * kMinute),
              ElementsAre("{} 60@60 90@120"));
  EXPECT_THAT(RangeLines("pi()", 0, 0), ElementsAre("{} 3.141592653589793@0"));
}

TEST_F(FunctionsTest, SortingPutsNanLast) {
  Load({{"__name__", "m"}, {"i", "a"}}, {NAN});
  Load({{"__name__", "m"}, {"i", "b"}}, {5});
  Load({{"__name__", "m"}, {"i", "c"}}, {3});
  Load({{"__name__", "m"}, {"i", "d"}}, {NAN});
  EXPECT_THAT(InstantLines("sort_desc(m)"),
              ElementsAre("m{i=\"b\"} 5", "m{i=\"c\"} 3", "m{i=\"a\"} NaN", "m{i=\"d\"} NaN"));
  EXPECT_THAT(InstantLines("sort_by_label_desc(m > 0, \"i\")"),
              ElementsAre("m{i=\"c\"} 3", "m{i=\"b\"} 5"));
}

TEST_F(FunctionsTest, SortingByLabelsTakesThemInOrder) {
  Load({{"__name__", "m"}, {"a", "2"}, {"b", "x"}}, {1});
  Load({{"__name__", "m"}, {"a", "10"}, {"b", "x"}}, {2});
  Load({{"__name__", "m"}, {"a", "1"}, {"b", "y"}}, {3});
  LoadHistogram({{"__name__", "m"}, {"a", "3"}, {"b", "y"}}, OfCount(1));
  EXPECT_THAT(InstantLines("sort_by_label(m, \"b\", \"a\")"),
              ElementsAre(HasSubstr("a=\"2\", b=\"x\""), HasSubstr("a=\"10\", b=\"x\""),
                          HasSubstr("a=\"1\", b=\"y\""), HasSubstr("a=\"3\", b=\"y\"")));
  EXPECT_THAT(InstantLines("sort_by_label(m, \"a\")"),
              ElementsAre(HasSubstr("a=\"1\""), HasSubstr("a=\"2\""), HasSubstr("a=\"3\""),
                          HasSubstr("a=\"10\"")));
  // Equal ones are in the order of all labels.
  EXPECT_THAT(InstantLines("sort_by_label(m, \"b\")"),
              ElementsAre(HasSubstr("a=\"10\""), HasSubstr("a=\"2\""), HasSubstr("a=\"1\""),
                          HasSubstr("a=\"3\"")));
  EXPECT_THAT(InstantLines("sort_by_label_desc(m, \"b\")"),
              ElementsAre(HasSubstr("a=\"3\""), HasSubstr("a=\"1\""), HasSubstr("a=\"2\""),
                          HasSubstr("a=\"10\"")));
}

TEST_F(FunctionsTest, SortingARangeWarns) {
  Load({{"__name__", "m"}}, {1});
  LoadHistogram({{"__name__", "h"}}, OfCount(1));
  for (const char* function : {"sort", "sort_desc"}) {
    const auto result = Range(std::string(function) + "({__name__=~\"h|m\"})", 0, kMinute);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(std::get<MatrixResult>(result->value).size(), 1u);
    EXPECT_THAT(result->annotations.warnings,
                ElementsAre("PromQL warning: sort is ineffective for range queries since results "
                            "are always ordered by labels (1:1)"));
  }
}

TEST_F(FunctionsTest, LabelReplaceSetsWhatTheExpressionFinds) {
  Load({{"__name__", "m"}, {"a", "x-1"}}, {1});
  EXPECT_THAT(InstantLines("label_replace(m, \"b\", \"$2/$1\", \"a\", \"(.)-(.)\")"),
              ElementsAre("m{a=\"x-1\", b=\"1/x\"} 1"));
  EXPECT_THAT(InstantLines("label_replace(m, \"b\", \"$1\", \"a\", \"(.)\")"),
              ElementsAre("m{a=\"x-1\"} 1"));
  EXPECT_THAT(InstantLines("label_replace(m, \"a\", \"\", \"a\", \".*\")"), ElementsAre("m 1"));
  EXPECT_THAT(InstantLines("label_replace(m, \"b\", \"y\", \"none\", \"\")"),
              ElementsAre("m{a=\"x-1\", b=\"y\"} 1"));
  // A name that is set is not dropped.
  EXPECT_THAT(InstantLines("label_replace(-m, \"__name__\", \"n\", \"a\", \".*\")"),
              ElementsAre("n{a=\"x-1\"} -1"));
  EXPECT_THAT(InstantLines("label_replace(-m, \"b\", \"n\", \"a\", \".*\")"),
              ElementsAre("{a=\"x-1\", b=\"n\"} -1"));
}

TEST_F(FunctionsTest, LabelJoinPutsASeparatorBetween) {
  Load({{"__name__", "m"}, {"a", "1"}, {"b", "2"}}, {1});
  EXPECT_THAT(InstantLines("label_join(m, \"c\", \"-\", \"a\", \"none\", \"b\")"),
              ElementsAre("m{a=\"1\", b=\"2\", c=\"1--2\"} 1"));
  EXPECT_THAT(InstantLines("label_join(m, \"c\", \"-\", \"b\")"),
              ElementsAre("m{a=\"1\", b=\"2\", c=\"2\"} 1"));
  EXPECT_THAT(InstantLines("label_join(m, \"a\", \"-\")"), ElementsAre("m{b=\"2\"} 1"));
}

TEST_F(FunctionsTest, LabelFunctionsSayWhatIsWrong) {
  Load({{"__name__", "m"}, {"a", "1"}}, {1});
  Load({{"__name__", "m"}, {"a", "2"}}, {1});
  EXPECT_EQ(Error("label_replace(m, \"\", \"\", \"a\", \"b\")"),
            "invalid destination label name in label_replace(): ");
  EXPECT_EQ(Error("label_replace(m, \"b\", \"\", \"a\", \"(\")"),
            "invalid regular expression in label_replace(): (");
  EXPECT_EQ(Error("label_join(m, \"\", \"\", \"a\")"),
            "invalid destination label name in label_join(): ");
  EXPECT_EQ(Error("label_join(m, \"b\", \"\", \"a\", \"\")"),
            "invalid source label name in label_join(): ");
  EXPECT_EQ(Error("label_join(m, \"b\", \"\", \"\")"),
            "invalid source label name in label_join(): ");
  EXPECT_EQ(Error("label_replace(m, \"a\", \"\", \"a\", \".*\")"),
            "vector cannot contain metrics with the same labelset");
  EXPECT_EQ(Error("label_join(m, \"a\", \"\")"),
            "vector cannot contain metrics with the same labelset");
}

// 128 KiB (64 for each side of the separator) is far below the limit of a label that a query may
// make; its double is made of doubles until it is too long.
TEST_F(FunctionsTest, LabelsThatAQueryMakesAreLimited) {
  Load({{"__name__", "m"}, {"a", std::string(1'000, 'x')}}, {1});
  std::string text = "m";
  // Each one is ten times as long as the last.
  for (int i = 0; i < 4; ++i) {
    text = "label_join(" + text +
           ", \"a\", \"\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\")";
  }
  EXPECT_THAT(Error(text), HasSubstr("label_join() would make a label value of "));
  text = "m";
  for (int i = 0; i < 4; ++i) {
    text = "label_replace(" + text + ", \"a\", \"$1$1$1$1$1$1$1$1$1$1\", \"a\", \"(.*)\")";
  }
  EXPECT_THAT(Error(text), HasSubstr("label_replace() would make a label value of "));
}

TEST_F(FunctionsTest, MadeLabelsAreCharged) {
  Load({{"__name__", "m"}, {"a", std::string(1'000, 'x')}}, {1});
  InstantQuery query;
  const auto fits = [&](std::string_view text, int64_t samples) {
    query.text = text;
    QueryBudget budget(samples, QueryBudget::Clock::time_point::max());
    return engine_.Execute(query, budget).ok();
  };
  // 64 bytes of labels for each sample: m needs about a thousand bytes, each copy as many again.
  EXPECT_TRUE(fits("m", 30));
  for (const char* text :
       {"label_replace(m, \"b\", \"$1\", \"a\", \"(.*)\")", "label_join(m, \"b\", \"\", \"a\")"}) {
    EXPECT_FALSE(fits(text, 30)) << text;
    EXPECT_TRUE(fits(text, 60)) << text;
  }
  const std::string set = "label_set(m, \"b\", \"" + std::string(1'000, 'y') + "\")";
  EXPECT_FALSE(fits(set, 30));
  EXPECT_TRUE(fits(set, 60));
}

TEST_F(FunctionsTest, BucketsWithoutABoundAreLeftOut) {
  Load({{"__name__", "h_bucket"}, {"le", "1"}}, {2});
  Load({{"__name__", "h_bucket"}, {"le", "+Inf"}}, {4});
  Load({{"__name__", "h_bucket"}, {"le", "x"}}, {100});
  Load({{"__name__", "h_bucket"}}, {100});
  EXPECT_THAT(InstantLines("histogram_quantile(0.25, h_bucket)"), ElementsAre("{} 0.5"));
  EXPECT_THAT(Notes("histogram_quantile(0.25, h_bucket)"),
              ElementsAre("PromQL warning: bucket label \"le\" is missing or has a malformed value "
                          "of \"\" for metric name \"h_bucket\" (1:26)",
                          "PromQL warning: bucket label \"le\" is missing or has a malformed value "
                          "of \"x\" for metric name \"h_bucket\" (1:26)"));
}

TEST_F(FunctionsTest, ClassicAndNativeHistogramsDoNotMix) {
  Load({{"__name__", "h"}, {"le", "1"}}, {2, StaleNan()});
  Load({{"__name__", "h"}, {"le", "+Inf"}}, {4, StaleNan()});
  Histogram native;
  native.count = 8;
  native.positive_spans = {{0, 1}};  // (0.5, 1]
  native.positive_counts = {8};
  LoadHistogram({{"__name__", "h"}}, native);
  LoadHistogram({{"__name__", "h"}, {"i", "1"}}, native);
  // Where both are, neither is used.
  EXPECT_THAT(RangeLines("histogram_fraction(0, 0.5, h)", 0, kMinute),
              ElementsAre("{} 0@60", "{i=\"1\"} 0@0 0@60"));
  EXPECT_THAT(RangeLines("histogram_fraction(-1, 1, h)", 0, kMinute),
              ElementsAre("{} 1@60", "{i=\"1\"} 1@0 1@60"));
  EXPECT_THAT(Notes("histogram_fraction(0, 1, h)"),
              ElementsAre("PromQL warning: vector contains a mix of classic and native histograms "
                          "for metric name \"h\" (1:26)"));
  EXPECT_THAT(RangeLines("histogram_quantiles(h, \"q\", 1)", 0, kMinute),
              ElementsAre("{i=\"1\", q=\"1.0\"} 1@0 1@60", "{q=\"1.0\"} 1@60"));
}

TEST_F(FunctionsTest, FractionsOfClassicHistograms) {
  Load({{"__name__", "h"}, {"le", "1"}}, {2, 1});
  Load({{"__name__", "h"}, {"le", "2"}}, {4, 4});
  Load({{"__name__", "h"}, {"le", "+Inf"}}, {8, 4});
  EXPECT_THAT(RangeLines("histogram_fraction(0, 1, h)", 0, kMinute),
              ElementsAre("{} 0.25@0 0.25@60"));
  EXPECT_THAT(RangeLines("histogram_fraction(0, time() / 60 + 1, h)", 0, kMinute),
              ElementsAre("{} 0.25@0 1@60"));
  EXPECT_THAT(RangeLines("histogram_fraction(time() / 60, 2, h)", 0, kMinute),
              ElementsAre("{} 0.5@0 0.75@60"));
}

TEST_F(FunctionsTest, QuantilesOfABucketVaryByStep) {
  Load({{"__name__", "h"}, {"le", "1"}}, {5, 0, StaleNan()});
  Load({{"__name__", "h"}, {"le", "2"}}, {5, 10, StaleNan()});
  Load({{"__name__", "h"}, {"le", "+Inf"}}, {5, 10, StaleNan()});
  EXPECT_THAT(RangeLines("histogram_quantile(0.2 + time() / 100, h)", 0, 2 * kMinute),
              ElementsAre("{} 0.2@0 1.8@60"));
  EXPECT_THAT(RangeLines("histogram_quantiles(h, \"q\", 0.2, 0.25)", 0, 2 * kMinute),
              ElementsAre("{q=\"0.2\"} 0.2@0 1.2@60", "{q=\"0.25\"} 0.25@0 1.25@60"));
}

TEST_F(FunctionsTest, InfoAddsLabels) {
  Load({{"__name__", "m"}, {"instance", "a.b"}, {"job", "j"}}, {1});
  Load({{"__name__", "m"}, {"instance", "axb"}, {"job", "j"}}, {2});
  Load({{"__name__", "target_info"}, {"instance", "a.b"}, {"job", "j"}, {"v", "1"}, {"w", "2"}},
       {1});
  Load({{"__name__", "other_info"}, {"instance", "axb"}, {"job", "j"}, {"x", "3"}}, {1});
  Load({{"__name__", "m"}}, {3});
  const std::string axb = "m{instance=\"axb\", job=\"j\"";
  const std::string a_b = "m{instance=\"a.b\", job=\"j\"";
  EXPECT_THAT(InstantLines("info(m)"),
              UnorderedElementsAre("m 3", axb + "} 2", a_b + ", v=\"1\", w=\"2\"} 1"));
  EXPECT_THAT(InstantLines("info(m, {v=~\".+\"})"), ElementsAre(a_b + ", v=\"1\"} 1"));
  EXPECT_THAT(InstantLines("info(m, {v=\"2\"})"), IsEmpty());
  // Elements without the label stay if it may be empty.
  EXPECT_THAT(InstantLines("info(m, {v=~\".*\"})"),
              UnorderedElementsAre("m 3", axb + "} 2", a_b + ", v=\"1\"} 1"));
  EXPECT_THAT(InstantLines("info(m, {__name__=\"other_info\"})"),
              UnorderedElementsAre("m 3", axb + ", x=\"3\"} 2", a_b + "} 1"));
  EXPECT_THAT(InstantLines("info(m, {__name__!=\"target_info\"})"),
              UnorderedElementsAre("m 3", axb + ", x=\"3\"} 2", a_b + "} 1"));
  EXPECT_THAT(InstantLines("info(m, {__name__=~\".*_info\"})"),
              UnorderedElementsAre("m 3", axb + ", x=\"3\"} 2", a_b + ", v=\"1\", w=\"2\"} 1"));
}

// Info series themselves are left alone, and an element's own labels are not overwritten.
TEST_F(FunctionsTest, InfoChangesNothingThatIsThere) {
  Load({{"__name__", "m"}, {"job", "j"}, {"v", "own"}}, {1});
  Load({{"__name__", "target_info"}, {"job", "j"}, {"v", "1"}, {"w", "2"}}, {1});
  EXPECT_THAT(InstantLines("info(m)"), ElementsAre("m{job=\"j\", v=\"own\", w=\"2\"} 1"));
  EXPECT_THAT(InstantLines("info({job=\"j\"})"),
              ElementsAre("m{job=\"j\", v=\"own\", w=\"2\"} 1",
                          "target_info{job=\"j\", v=\"1\", w=\"2\"} 1"));
  EXPECT_THAT(InstantLines("info(-m)"), ElementsAre("{job=\"j\", v=\"own\", w=\"2\"} -1"));
}

TEST_F(FunctionsTest, InfoTakesTheNewestSeries) {
  Load({{"__name__", "m"}, {"job", "j"}}, {1, 1, 1});
  storage_.Append(LabelSet::Of({{"__name__", "target_info"}, {"job", "j"}, {"v", "old"}}), 0, 1);
  storage_.Append(LabelSet::Of({{"__name__", "target_info"}, {"job", "j"}, {"v", "new"}}), 60'000,
                  1);
  EXPECT_THAT(RangeLines("info(m)", 0, 2 * kMinute),
              ElementsAre("m{job=\"j\", v=\"new\"} 1@60 1@120", "m{job=\"j\", v=\"old\"} 1@0"));
}

// Also where those of another metric are between them in the order of labels.
TEST_F(FunctionsTest, InfoTakesTheNewestSeriesOfEachMetric) {
  Load({{"__name__", "m"}, {"job", "j"}}, {1, 1});
  const auto add = [&](const char* a, const char* name, const char* c, int64_t time_ms) {
    storage_.Append(LabelSet::Of({{"A", a}, {"__name__", name}, {"c", c}, {"job", "j"}}), time_ms,
                    1);
  };
  add("1", "x_info", "old", 0);
  add("2", "y_info", "", 0);
  add("3", "x_info", "new", kMinute);
  EXPECT_THAT(InstantLines("info(m, {__name__=~\"[xy]_info\", c=~\".*\"})", kMinute),
              ElementsAre("m{c=\"new\", job=\"j\"} 1"));
}

TEST_F(FunctionsTest, InfoSaysWhatIsAmbiguous) {
  Load({{"__name__", "m"}, {"job", "j"}}, {1});
  Load({{"__name__", "target_info"}, {"job", "j"}, {"v", "1"}}, {1});
  Load({{"__name__", "x_info"}, {"job", "j"}, {"v", "2"}}, {1});
  EXPECT_EQ(Error("info(m, {__name__=~\".+_info\"})"), "conflicting label: v");
  Load({{"__name__", "target_info"}, {"job", "j"}, {"v", "2"}}, {1});
  EXPECT_EQ(
      Error("info(m)"),
      "found duplicate series for info metric: existing {__name__=\"target_info\", job=\"j\", "
      "v=\"1\"} @ 0, new {__name__=\"target_info\", job=\"j\", v=\"2\"} @ 0");
  LoadHistogram({{"__name__", "h_info"}, {"job", "j"}}, OfCount(1));
  EXPECT_EQ(Error("info(m, {__name__=\"h_info\"})"),
            "this should be an info metric, with float samples: h_info{job=\"j\"}");
}

TEST_F(FunctionsTest, InfoOfAPinnedSelectorIsReadOnce) {
  Load({{"__name__", "m"}, {"job", "j"}}, {1, 2, 3});
  Load({{"__name__", "target_info"}, {"job", "j"}, {"v", "1"}}, {1, StaleNan()});
  EXPECT_THAT(RangeLines("info(sum by (job) (m @ 0) + on (job) group_left () m)", 0, kMinute),
              ElementsAre("{job=\"j\", v=\"1\"} 2@0 3@60"));
  EXPECT_THAT(RangeLines("info(m)", 0, kMinute),
              ElementsAre("m{job=\"j\"} 2@60", "m{job=\"j\", v=\"1\"} 1@0"));
}

// The texts are those of Prometheus.
TEST_F(FunctionsTest, NotesSayWhatIsLeftOut) {
  Histogram exponential;
  exponential.count = 2;
  exponential.positive_spans = {{0, 1}};
  exponential.positive_counts = {2};
  Histogram custom = exponential;
  custom.schema = kCustomBucketsSchema;
  custom.custom_values = {5};
  const LabelSet labels = LabelSet::Of({{"__name__", "h_total"}});
  storage_.Append(labels, 0, std::make_shared<const Histogram>(exponential));
  storage_.Append(labels, kMinute, std::make_shared<const Histogram>(custom));
  EXPECT_THAT(Notes("sum_over_time(h_total[5m])", kMinute),
              ElementsAre("PromQL warning: vector contains a mix of histograms with exponential "
                          "and custom buckets schemas for metric name \"h_total\" (1:15)"));
  storage_.Append(labels, 2 * kMinute, 1.0);
  EXPECT_THAT(Notes("max_over_time(h_total[5m])", 2 * kMinute),
              ElementsAre("PromQL info: ignored histograms in a range containing both floats and "
                          "histograms for metric name \"h_total\" (1:15)"));
  EXPECT_THAT(Notes("rate(h_total[5m])", 2 * kMinute),
              ElementsAre("PromQL warning: encountered a mix of histograms and floats for metric "
                          "name \"h_total\" (1:6)"));
}

// Observations that are NaN are in the count and in no bucket.
TEST_F(FunctionsTest, NotesTellOfNanObservations) {
  Histogram some;
  some.count = 4;
  some.sum = NAN;
  some.positive_spans = {{0, 1}};
  some.positive_counts = {3};
  LoadHistogram({{"__name__", "h"}}, some);
  EXPECT_THAT(Notes("histogram_quantile(0.9, h)"),
              ElementsAre("PromQL info: input to histogram_quantile has NaN observations, result "
                          "is NaN for metric name \"h\" (1:20)"));
  EXPECT_THAT(InstantLines("histogram_quantile(0.9, h)"), ElementsAre("{} NaN"));
  EXPECT_THAT(Notes("histogram_quantile(0.5, h)"),
              ElementsAre("PromQL info: input to histogram_quantile has NaN observations, result "
                          "is skewed higher for metric name \"h\" (1:20)"));
  EXPECT_THAT(Notes("histogram_fraction(0, 1, h)"),
              ElementsAre("PromQL info: input to histogram_fraction has NaN observations, which "
                          "are excluded from all fractions for metric name \"h\" (1:20)"));
  EXPECT_THAT(InstantLines("histogram_fraction(0, 1, h)"), ElementsAre("{} 0.75"));
}

TEST_F(FunctionsTest, NotesTellOfOverlappingStarts) {
  WriteRequest request;
  request.series.push_back(
      {LabelSet::Of({{"__name__", "m_total"}}), {{60'000, 5}, {120'000, 6}}, {}});
  request.series.back().start_timestamps_ms = {1'000, 30'000};
  storage_.Write(std::move(request), [](const auto&) {});
  EXPECT_THAT(Notes("rate(m_total[5m])", 2 * kMinute),
              ElementsAre("PromQL warning: sample has start time that overlaps with previous "
                          "sample timestamp for metric \"m_total\" (1:6)"));
}

}  // namespace
}  // namespace lockstep::engine
