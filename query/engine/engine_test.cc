#include "query/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class EngineTest : public EngineFixture {};

TEST_F(EngineTest, ScalarsStringsAndNumbersHaveNoSeries) {
  const auto scalar = Instant("1 + 2 * 3", 5000);
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(std::get<ScalarResult>(scalar->value).value, 7);
  EXPECT_EQ(std::get<ScalarResult>(scalar->value).timestamp_ms, 5000);
  const auto text = Instant("(\"a\\nb\")");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(std::get<StringResult>(text->value).value, "a\nb");
  EXPECT_THAT(RangeLines("time() / 60", 0, 2 * kMinute), ElementsAre("{} 0@0 1@60 2@120"));
}

TEST_F(EngineTest, ASelectorTakesTheNewestSampleOfTheLookback) {
  Load({{"__name__", "m"}}, {1, 2, 3});
  EXPECT_THAT(InstantLines("m", 90'000), ElementsAre("m 2"));
  EXPECT_THAT(InstantLines("m offset 1m", 90'000), ElementsAre("m 1"));
  EXPECT_THAT(InstantLines("m @ 120", 0), ElementsAre("m 3"));
  // The sample at 2m is exactly one lookback old at 7m, which is too old.
  EXPECT_THAT(InstantLines("m", 7 * kMinute - 1), ElementsAre("m 3"));
  EXPECT_THAT(InstantLines("m", 7 * kMinute), ElementsAre());
}

TEST_F(EngineTest, AStaleMarkerEndsASeries) {
  Load({{"__name__", "m"}}, {1, StaleNan(), 3});
  EXPECT_THAT(RangeLines("m", 0, 2 * kMinute), ElementsAre("m 1@0 3@120"));
  EXPECT_THAT(InstantLines("count_over_time(m[3m])", 2 * kMinute), ElementsAre("{} 2"));
}

TEST_F(EngineTest, OneToOneMatchingDropsTheNameAndKeepsWhatBothHave) {
  Load({{"__name__", "a"}, {"x", "1"}}, {10, 20, 30});
  Load({{"__name__", "a"}, {"x", "2"}}, {1, 2, 3});
  Load({{"__name__", "b"}, {"x", "1"}}, {2, 4, 5});
  EXPECT_THAT(RangeLines("a / b", 0, 2 * kMinute), ElementsAre("{x=\"1\"} 5@0 5@60 6@120"));
  EXPECT_THAT(RangeLines("a > 15", 0, 2 * kMinute), ElementsAre("a{x=\"1\"} 20@60 30@120"));
  EXPECT_THAT(InstantLines("a and b"), ElementsAre("a{x=\"1\"} 10"));
  EXPECT_THAT(InstantLines("a unless b"), ElementsAre("a{x=\"2\"} 1"));
  EXPECT_THAT(InstantLines("b or a"), ElementsAre("b{x=\"1\"} 2", "a{x=\"2\"} 1"));
}

TEST_F(EngineTest, DuplicatesAreJudgedStepByStep) {
  Load({{"__name__", "one"}, {"v", "1"}}, {1, StaleNan()});
  Load({{"__name__", "one"}, {"v", "2"}}, {NAN, 2});
  Load({{"__name__", "many"}}, {10, 10});
  EXPECT_THAT(RangeLines("many * on() one", kMinute, kMinute), ElementsAre("{} 20@60"));
  EXPECT_THAT(
      RangeLines("many * on() one", 0, kMinute),
      ElementsAre("found duplicate series for the match group {} on the right hand-side of the "
                  "operation: [{__name__=\"one\", v=\"1\"}, {__name__=\"one\", v=\"2\"}];"
                  "many-to-many matching not allowed: matching labels must be unique on one side"));
  EXPECT_THAT(RangeLines("one * on() many", 0, 0),
              ElementsAre("multiple matches for labels: many-to-one matching must be explicit "
                          "(group_left/group_right)"));
}

TEST_F(EngineTest, ManyToOneTakesIncludedLabelsFromTheOneSide) {
  Load({{"__name__", "gpu"}, {"host", "h"}, {"rank", "0"}}, {3});
  Load({{"__name__", "gpu"}, {"host", "h"}, {"rank", "1"}}, {4});
  Load({{"__name__", "meta"}, {"host", "h"}, {"model", "H200"}}, {2});
  EXPECT_THAT(InstantLines("gpu * on(host) group_left(model) meta"),
              ElementsAre("{host=\"h\", model=\"H200\", rank=\"0\"} 6",
                          "{host=\"h\", model=\"H200\", rank=\"1\"} 8"));
  EXPECT_THAT(InstantLines("meta * on(host) group_right gpu"),
              ElementsAre("{host=\"h\", rank=\"0\"} 6", "{host=\"h\", rank=\"1\"} 8"));
}

TEST_F(EngineTest, AggregationsFoldGroups) {
  Load({{"__name__", "m"}, {"job", "a"}, {"i", "0"}}, {1, 5});
  Load({{"__name__", "m"}, {"job", "a"}, {"i", "1"}}, {2, StaleNan()});
  Load({{"__name__", "m"}, {"job", "b"}, {"i", "0"}}, {4, 8});
  EXPECT_THAT(RangeLines("sum by (job) (m)", 0, kMinute),
              ElementsAre("{job=\"a\"} 3@0 5@60", "{job=\"b\"} 4@0 8@60"));
  EXPECT_THAT(RangeLines("count without (i) (m)", 0, kMinute),
              ElementsAre("{job=\"a\"} 2@0 1@60", "{job=\"b\"} 1@0 1@60"));
  EXPECT_THAT(InstantLines("topk(2, m)"),
              ElementsAre("m{i=\"0\", job=\"b\"} 4", "m{i=\"1\", job=\"a\"} 2"));
  EXPECT_THAT(InstantLines("bottomk by (job) (1, m)"),
              ElementsAre("m{i=\"0\", job=\"a\"} 1", "m{i=\"0\", job=\"b\"} 4"));
  EXPECT_THAT(InstantLines("count_values(\"v\", m > 1)"),
              UnorderedElementsAre("{v=\"2\"} 1", "{v=\"4\"} 1"));
}

TEST_F(EngineTest, NamesGoAtTheEndAndWhatBecomesEqualMustNotMeet) {
  Load({{"__name__", "a"}, {"x", "1"}}, {1, StaleNan()});
  Load({{"__name__", "b"}, {"x", "1"}}, {StaleNan(), 2});
  EXPECT_THAT(RangeLines("-{x=\"1\"}", 0, kMinute), ElementsAre("{x=\"1\"} -1@0 -2@60"));
  EXPECT_THAT(InstantLines("sum by (__name__) (-{x=\"1\"})"), ElementsAre("{} -1"));
  Load({{"__name__", "c"}, {"x", "1"}}, {3});
  EXPECT_THAT(InstantLines("-{x=\"1\"}"),
              ElementsAre("vector cannot contain metrics with the same labelset"));
}

// If there is only one step because the next one would be after the end.
TEST_F(EngineTest, DuplicatesOfARangeAreJudgedAlsoAtOneStep) {
  Load({{"__name__", "m_bucket"}, {"le", "1"}}, {1});
  Load({{"__name__", "m_bucket"}, {"le", "+Inf"}}, {2});
  constexpr std::string_view kTwice = "sum(histogram_quantiles(m_bucket, \"q\", 0.5, 0.5))";
  EXPECT_THAT(InstantLines(kTwice), ElementsAre("{} 2"));
  EXPECT_THAT(RangeLines(kTwice, 0, kMinute / 2),
              ElementsAre("vector cannot contain metrics with the same labelset"));
}

TEST_F(EngineTest, OrKeepsNamesThatAreNotToGo) {
  Load({{"__name__", "m"}}, {-1, 2, -3});
  EXPECT_THAT(RangeLines("abs(m > 0) or m", 0, 2 * kMinute),
              ElementsAre("{} 2@60", "m -1@0 -3@120"));
  EXPECT_THAT(RangeLines("(m < 0) or abs(m)", 0, 2 * kMinute),
              ElementsAre("{} 2@60", "m -1@0 -3@120"));
  EXPECT_THAT(RangeLines("((abs(m > 0) or m) and m)", 0, 2 * kMinute),
              ElementsAre("{} 2@60", "m -1@0 -3@120"));
}

TEST_F(EngineTest, FillStandsInForAMissingPartner) {
  Load({{"__name__", "a"}, {"x", "1"}}, {1, 2});
  Load({{"__name__", "b"}, {"x", "1"}}, {StaleNan(), 20});
  Load({{"__name__", "b"}, {"x", "2"}}, {7, 8});
  EXPECT_THAT(RangeLines("a + fill_right(100) b", 0, kMinute),
              ElementsAre("{x=\"1\"} 101@0 22@60"));
  EXPECT_THAT(RangeLines("a + fill(0) b", 0, kMinute),
              ElementsAre("{x=\"1\"} 1@0 22@60", "{x=\"2\"} 7@0 8@60"));
}

TEST_F(EngineTest, QuantilesOfClassicHistogramsCarryTheirQuantile) {
  Load({{"__name__", "h_bucket"}, {"le", "1"}}, {5});
  Load({{"__name__", "h_bucket"}, {"le", "2"}}, {10});
  Load({{"__name__", "h_bucket"}, {"le", "+Inf"}}, {10});
  EXPECT_THAT(InstantLines("histogram_quantile(0.75, h_bucket)"), ElementsAre("{} 1.5"));
  EXPECT_THAT(InstantLines("histogram_quantiles(h_bucket, \"q\", 0.5, 1)"),
              UnorderedElementsAre("{q=\"0.5\"} 1", "{q=\"1.0\"} 2"));
  // The name is kept until the end of the query.
  EXPECT_THAT(InstantLines("label_replace(histogram_quantile(0.75, h_bucket), \"was\", \"$1\", "
                           "\"__name__\", \"(.*)\")"),
              ElementsAre("{was=\"h_bucket\"} 1.5"));
}

TEST_F(EngineTest, SortingIsForOneStep) {
  Load({{"__name__", "m"}, {"i", "a10"}}, {NAN, 1});
  Load({{"__name__", "m"}, {"i", "a9"}}, {5, 2});
  Load({{"__name__", "m"}, {"i", "b"}}, {3, 3});
  EXPECT_THAT(InstantLines("sort(m)"),
              ElementsAre("m{i=\"b\"} 3", "m{i=\"a9\"} 5", "m{i=\"a10\"} NaN"));
  EXPECT_THAT(InstantLines("sort_by_label(m, \"i\")"),
              ElementsAre("m{i=\"a9\"} 5", "m{i=\"a10\"} NaN", "m{i=\"b\"} 3"));
  const auto range = Range("sort(m)", 0, kMinute);
  ASSERT_TRUE(range.ok()) << range.status();
  EXPECT_THAT(range->annotations.warnings, ElementsAre(HasSubstr("sort is ineffective")));
  // One step, but not because of the bounds.
  EXPECT_THAT(Range("sort(m)", 0, 1)->annotations.warnings,
              ElementsAre(HasSubstr("sort is ineffective")));
  EXPECT_THAT(Range("sort(m)", 0, 0)->annotations.warnings, ElementsAre());
}

TEST_F(EngineTest, AQueryWithoutExtentHasNoStep) {
  const auto step = [&](int64_t end_ms) {
    const auto range = Range("step()", 0, end_ms);
    return std::get<MatrixResult>(range->value)[0].samples.values[0];
  };
  EXPECT_EQ(step(0), 0);
  EXPECT_EQ(step(1), 60);
}

TEST_F(EngineTest, SmoothedSelectorsTakeFloatsOrHistograms) {
  Histogram histogram;
  histogram.count = 3;
  LoadHistogram({{"__name__", "m"}}, histogram);
  EXPECT_THAT(InstantLines("count(m smoothed)"), ElementsAre("{} 1"));
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), kMinute, 2.0);
  EXPECT_THAT(InstantLines("count(m smoothed)"), ElementsAre());
  EXPECT_THAT(Notes("m smoothed"), ElementsAre(HasSubstr("mix of histograms and floats")));
  const auto range = Instant("m[5m] smoothed");
  ASSERT_FALSE(range.ok());
  EXPECT_THAT(range.status().message(), HasSubstr("smoothed modifier is not supported"));
}

TEST_F(EngineTest, BucketsThatSeveralQuantilesReadAreToldOfOnce) {
  Load({{"__name__", "h"}, {"le", "1"}}, {5});
  Load({{"__name__", "h"}, {"le", "2"}}, {3});
  Load({{"__name__", "h"}, {"le", "+Inf"}}, {6});
  const auto once = HasSubstr("over 1 samples");
  EXPECT_THAT(Notes("histogram_quantiles(h, \"q\", 0.1, 0.5)"), ElementsAre(once));
  EXPECT_THAT(Notes("histogram_quantiles(h, \"q\", 2, 0.5)"),
              ElementsAre(HasSubstr("got 2"), once));
  EXPECT_THAT(InstantLines("histogram_quantiles(h, \"q\", -0)"), ElementsAre("{q=\"0.0\"} 0"));
}

TEST_F(EngineTest, AFineSubqueryOverYearsEndsInAnError) {
  Load({{"__name__", "m"}}, {1});
  QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
  InstantQuery query;
  for (const char* text : {"sum_over_time(vector(1)[100y:1ms])", "count_over_time(m[100y:1ms])",
                           "max_over_time(sum(rate(m[5m]))[100y:1ms])"}) {
    query.text = text;
    EXPECT_EQ(engine_.Execute(query, budget).status().code(), absl::StatusCode::kResourceExhausted)
        << text;
  }
}

TEST_F(EngineTest, SubqueriesHaveStepsOfTheirOwn) {
  Load({{"__name__", "m"}}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(InstantLines("sum_over_time((m * 2)[3m:1m])", 5 * kMinute), ElementsAre("{} 30"));
  const auto matrix = Instant("m[2m:1m]", 5 * kMinute);
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_THAT(Lines(std::get<MatrixResult>(matrix->value)), ElementsAre("m 5@240 6@300"));
}

TEST_F(EngineTest, PinnedPartsHaveOneValueForAllSteps) {
  Load({{"__name__", "m"}}, {1, 2, 3});
  EXPECT_THAT(RangeLines("m - m @ start()", 0, 2 * kMinute), ElementsAre("{} 0@0 1@60 2@120"));
  EXPECT_THAT(RangeLines("m @ end()", 0, kMinute), ElementsAre("m 2@0 2@60"));
  EXPECT_THAT(RangeLines("timestamp(m @ 60)", 0, kMinute), ElementsAre("{} 60@0 60@60"));
}

TEST_F(EngineTest, AnnotationsSayWhere) {
  Load({{"__name__", "m"}}, {1, 2, 3});
  const auto result = Instant("1 +\n rate(m[2m])", 2 * kMinute);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->annotations.infos,
              ElementsAre("PromQL info: metric might not be a counter, name does not end in "
                          "_total/_sum/_count/_bucket: \"m\" (2:7)"));
}

// The following results are those of Prometheus 3.5 for the same queries.

TEST_F(EngineTest, TheFirstBrokenMatchingRuleIsTheError) {
  Load({{"__name__", "many"}, {"g", "1"}}, {1, 1});
  Load({{"__name__", "many"}, {"g", "2"}}, {1, 1});
  Load({{"__name__", "one"}, {"g", "1"}, {"v", "1"}}, {1, 1});
  Load({{"__name__", "one"}, {"g", "1"}, {"v", "2"}}, {StaleNan(), 2});
  Load({{"__name__", "one"}, {"g", "2"}, {"v", "1"}}, {1, 1});
  Load({{"__name__", "one"}, {"g", "2"}, {"v", "2"}}, {2, 2});
  // The group of g="1" breaks a rule only at a later step.
  EXPECT_THAT(RangeLines("many + on (g) one", 0, kMinute),
              ElementsAre(HasSubstr("match group {g=\"2\"} on the right hand-side")));
  EXPECT_THAT(RangeLines("one + on (g) group_right () many", kMinute, kMinute),
              ElementsAre(HasSubstr("match group {g=\"1\"} on the left hand-side")));
}

TEST_F(EngineTest, NotesPointAtArguments) {
  Load({{"__name__", "m"}}, {1, 2, 3});
  const auto at = [](std::string_view place) { return ElementsAre(HasSubstr(place)); };
  EXPECT_THAT(Notes("rate(m[5m])", kMinute), at("(1:6)"));
  EXPECT_THAT(Notes("rate((m[5m]))", kMinute), at("(1:7)"));
  EXPECT_THAT(Notes("rate(m[5m:30s])", kMinute), at("(1:1)"));
  EXPECT_THAT(Notes("quantile_over_time((2), m[5m])"), at("(1:21)"));
  EXPECT_THAT(Notes("quantile_over_time((2), m[5m] @ 0)"), at("(1:21)"));
  EXPECT_THAT(Notes("quantile_over_time((scalar(m)), m[5m])", kMinute), at("(1:21)"));
}

TEST_F(EngineTest, OfQuantilesThatAreNoneNanHidesTheOthers) {
  Load({{"__name__", "m"}}, {2, 3});
  Load({{"__name__", "q"}}, {2, 3, std::nan("")});
  const auto warnings = [this](int64_t end_ms) {
    return Range("quantile(scalar(q), m)", 0, end_ms)->annotations.warnings;
  };
  EXPECT_THAT(warnings(kMinute), ElementsAre(HasSubstr("got 3 (1:10)")));
  EXPECT_THAT(warnings(2 * kMinute), ElementsAre(HasSubstr("got NaN (1:10)")));
}

TEST_F(EngineTest, NotesAboutHistograms) {
  Histogram nan;
  nan.count = 3;
  nan.sum = std::nan("");
  LoadHistogram({{"__name__", "h"}}, nan);
  Load({{"__name__", "m"}}, {1});
  const auto at = [](std::string_view place) { return ElementsAre(HasSubstr(place)); };
  EXPECT_THAT(Notes("histogram_quantile(0.5, h)"), at("(1:20)"));
  EXPECT_THAT(Notes("histogram_fraction(0, 1, h)"), at("(1:20)"));
  EXPECT_THAT(Notes("min((h))"), at("(1:6)"));
  // A histogram converted to a number is not ignored.
  EXPECT_THAT(Notes("topk(1, h)"), at("ignored histogram in topk"));
  EXPECT_THAT(Notes("topk(1, histogram_count(h))"), ElementsAre());
}

TEST_F(EngineTest, DurationsThatAreNone) {
  Load({{"__name__", "m"}}, {1, 2, 3});
  EXPECT_THAT(Notes("rate(m[5m - 5m])"), ElementsAre("7:14: duration must be greater than 0"));
  EXPECT_THAT(Notes("m offset (1 / (1m - 60))"), ElementsAre("10:22: division by zero"));
  // Before anything is evaluated.
  EXPECT_THAT(Notes("label_replace(m, \"\", \"\", \"\", \"\") + rate(m[5m - 5m])"),
              ElementsAre("42:49: duration must be greater than 0"));
  // Less than a millisecond is not zero.
  EXPECT_THAT(InstantLines("count_over_time(m[1ms / 2])"), ElementsAre());
  EXPECT_THAT(InstantLines("count_over_time(m[2m:1ms / 2])", kMinute), ElementsAre("{} 2"));
}

TEST_F(EngineTest, DurationsThatAreNoNumber) {
  constexpr std::string_view kNone = ": duration is NaN or infinite";
  EXPECT_THAT(Notes("m[min_of((-1) ^ 0.5, 5m)]"), ElementsAre(HasSubstr(kNone)));
  EXPECT_THAT(Notes("m[max_of(5m, (-1) ^ 0.5)]"), ElementsAre(HasSubstr(kNone)));
  EXPECT_THAT(Notes("m offset (9e9 ^ 99)"), ElementsAre(HasSubstr(kNone)));
  EXPECT_THAT(Notes("m[9e9 * 2]"), ElementsAre(HasSubstr(": duration is out of range")));
}

// Each value is the number of its minute.
TEST_F(EngineTest, AnOffsetEndsBehindASignAndParentheses) {
  Load({{"__name__", "m"}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_THAT(InstantLines("m offset -(2m) * 2", 3 * kMinute), ElementsAre("{} 10"));
  EXPECT_THAT(InstantLines("m offset +(2m) * 2", 3 * kMinute), ElementsAre("{} 2"));
  EXPECT_THAT(InstantLines("m offset -(max_of(step(), 1m)) + 1000", 3 * kMinute),
              ElementsAre("{} 1004"));
  // After parentheses or two signs, the whole expression is the offset.
  EXPECT_THAT(InstantLines("m offset (1m) * 2", 3 * kMinute), ElementsAre("m 1"));
  EXPECT_THAT(InstantLines("m offset -+1m * 2", 3 * kMinute), ElementsAre("m 5"));
  EXPECT_THAT(InstantLines("m offset --(1m) * 2", 3 * kMinute), ElementsAre("m 1"));
}

// Steps are truncated to milliseconds, the value of step() is not.
TEST_F(EngineTest, StepSaysWhatWasAskedFor) {
  Load({{"__name__", "m"}}, {1, 2, 3});
  const auto range = [&](std::string_view text) {
    RangeQuery query;
    query.text = text;
    query.end_ms = 2'000;
    query.step_ms = 1'000;
    query.requested_step_ns = 1'000'999'999;
    const auto result = engine_.Execute(query, Unlimited());
    if (!result.ok()) return std::vector{std::string(Message(result.status()))};
    return Lines(std::get<MatrixResult>(result->value));
  };
  EXPECT_THAT(range("step()"), ElementsAre("{} 1.000999999@0 1.000999999@1 1.000999999@2"));
  EXPECT_THAT(range("range()"), ElementsAre("{} 2@0 2@1 2@2"));
  // 1000.999999 ms are truncated to 1000, a thousand times that to 1000999.
  EXPECT_THAT(range("count_over_time(m[step() * 1000]) > bool 0"), ElementsAre("{} 1@0 1@1 1@2"));
  EXPECT_THAT(RangeLines("step()", 0, kMinute), ElementsAre("{} 60@0 60@60"));
}

TEST_F(EngineTest, OnlyHistogramsAreTrimmed) {
  Load({{"__name__", "m"}}, {1});
  EXPECT_THAT(InstantLines("2 >/ 1 != m"),
              ElementsAre("operator \">/\" not allowed for Scalar operations"));
  EXPECT_THAT(RangeLines("1 </ 1", 0, kMinute),
              ElementsAre("operator \"</\" not allowed for Scalar operations"));
}

// The info series is v0 for five minutes, then v1.
TEST_F(EngineTest, InfoLooksWhereItsArgumentLooks) {
  const double stale = StaleNan();
  const double gap = StaleNan();
  Load({{"__name__", "target_info"}, {"job", "a"}, {"v", "0"}}, {1, 1, 1, 1, 1, stale});
  Load({{"__name__", "target_info"}, {"job", "a"}, {"v", "1"}},
       {gap, gap, gap, gap, gap, 1, 1, 1, 1, 1, 1});
  Load({{"__name__", "m"}, {"job", "a"}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const auto version = [&](std::string_view text) {
    return InstantLines("count by (v) (" + std::string(text) + ")", 10 * kMinute);
  };
  const auto old_version = ElementsAre("{v=\"0\"} 1");
  const auto new_version = ElementsAre("{v=\"1\"} 1");
  EXPECT_THAT(version("info(last_over_time(m[3m:1m]))"), new_version);
  EXPECT_THAT(version("info(last_over_time(m[3m:1m] offset 6m))"), old_version);
  EXPECT_THAT(version("info(last_over_time(m[3m:1m] @ 180))"), old_version);
  EXPECT_THAT(version("info(last_over_time((m offset 3m)[3m:1m] offset 3m))"), old_version);
  EXPECT_THAT(version("info(last_over_time((m offset 3m)[3m:1m] @ 420))"), old_version);
  EXPECT_THAT(version("info(last_over_time(m[3m:1m] offset -6m @ 60))"), new_version);
  // The inner one takes precedence.
  EXPECT_THAT(version("info(last_over_time((m @ 180)[3m:1m]))"), old_version);
  EXPECT_THAT(version("info(sum by (job) (max_over_time(m[3m:1m] @ 180)))"), old_version);
}

TEST_F(EngineTest, CountValuesMayWriteTheName) {
  Load({{"__name__", "m"}, {"x", "1"}}, {5});
  EXPECT_THAT(InstantLines("count_values(\"__name__\", m)"), ElementsAre("{\"5\"} 1"));
  EXPECT_THAT(InstantLines("count_values(\"__name__\", -m)"), ElementsAre("{\"-5\"} 1"));
  EXPECT_THAT(InstantLines("count_values without () (\"__name__\", m)"),
              ElementsAre("{x=\"1\"} 1"));
}

TEST_F(EngineTest, ErrorsKeepTheirKind) {
  Load({{"__name__", "m"}}, {1, 2, 3});
  EXPECT_EQ(Instant("m +").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Range("m[1m]", 0, 1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Instant("label_replace(m, \"a\", \"\", \"b\", \"(\")").status().code(),
            absl::StatusCode::kFailedPrecondition);

  InstantQuery query;
  query.text = "m";
  QueryBudget cancelled(100, QueryBudget::Clock::time_point::max());
  cancelled.Cancel();
  EXPECT_EQ(engine_.Execute(query, cancelled).status().code(), absl::StatusCode::kCancelled);
  QueryBudget late(100, QueryBudget::Clock::now() - std::chrono::seconds(1));
  EXPECT_EQ(engine_.Execute(query, late).status().code(), absl::StatusCode::kDeadlineExceeded);
  QueryBudget small(2, QueryBudget::Clock::time_point::max());
  query.text = "sum_over_time(m[5m])";
  query.time_ms = 2 * kMinute;
  EXPECT_EQ(engine_.Execute(query, small).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(EngineTest, TheBudgetIsGivenBackInFull) {
  for (int i = 0; i < 10; ++i) Load({{"__name__", "m"}, {"i", std::to_string(i)}}, {1, 2, 3});
  QueryBudget budget(1'000, QueryBudget::Clock::time_point::max());
  RangeQuery query;
  query.text = "sum by (i) (rate(m[2m]) + on(i) m) > 0 or topk(3, m) or m @ end()";
  query.end_ms = 4 * kMinute;
  query.step_ms = kMinute;
  // If anything were kept, the budget would run out.
  for (int i = 0; i < 100; ++i) {
    const auto result = engine_.Execute(query, budget);
    ASSERT_TRUE(result.ok()) << result.status() << " in round " << i;
  }
}

// With however little, a query fails or has its answer, and gives all back. What is used twice
// needs room for a copy, and is read again where there is none.
TEST_F(EngineTest, EveryBudgetIsEnoughOrNot) {
  for (int i = 0; i < 5; ++i) Load({{"__name__", "m"}, {"i", std::to_string(i)}}, {1, 2, 3, 4});
  for (const char* text : {"sum(m) + sum(m)", "m + m", "rate(m[2m]) / rate(m[2m])", "m @ 60 + pi()",
                           "-m or topk(2, m)", "max_over_time(sum(m)[3m:1m]) - sum(m @ end())"}) {
    const std::vector<std::string> expected = RangeLines(text, 0, 3 * kMinute);
    RangeQuery query;
    query.text = text;
    query.end_ms = 3 * kMinute;
    query.step_ms = kMinute;
    bool was_enough = false;
    for (int64_t samples = 0; samples < 400; ++samples) {
      QueryBudget budget(samples, QueryBudget::Clock::time_point::max());
      const auto result = engine_.Execute(query, budget);
      if (result.ok()) {
        EXPECT_EQ(Lines(std::get<MatrixResult>(result->value)), expected) << text << samples;
        was_enough = true;
      } else {
        ASSERT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << text;
      }
    }
    EXPECT_TRUE(was_enough) << text;
  }
}

// What is the same at every step is made once, and takes the room of all steps.
TEST_F(EngineTest, StepsThatRepeatAreCharged) {
  Load({{"__name__", "m"}}, {1});
  RangeQuery query;
  query.step_ms = 1;
  query.end_ms = 9'999;
  for (const char* text : {"m @ 0", "pi()", "sum(m @ 0)"}) {
    query.text = text;
    QueryBudget small(5'000, QueryBudget::Clock::time_point::max());
    EXPECT_EQ(engine_.Execute(query, small).status().code(), absl::StatusCode::kResourceExhausted)
        << text;
    QueryBudget large(50'000, QueryBudget::Clock::time_point::max());
    EXPECT_TRUE(engine_.Execute(query, large).ok()) << text;
  }
}

// A subquery is charged for all its steps, however few have a sample.
TEST_F(EngineTest, StepsOfASubqueryAreCharged) {
  Load({{"__name__", "m"}}, {1});
  InstantQuery query;
  query.text = "count_over_time(m[1000000ms:1ms])";
  query.time_ms = 1'000'000'000;
  QueryBudget small(999'999, QueryBudget::Clock::time_point::max());
  EXPECT_EQ(engine_.Execute(query, small).status().code(), absl::StatusCode::kResourceExhausted);
  QueryBudget large(10'000'000, QueryBudget::Clock::time_point::max());
  EXPECT_TRUE(engine_.Execute(query, large).ok());
}

TEST_F(EngineTest, LongLabelsAreCharged) {
  const std::string text(1'000'000, 'x');
  Load({{"__name__", "m"}, {"long", text}}, {1});
  InstantQuery query;
  query.text = "m";
  QueryBudget budget(1'000, QueryBudget::Clock::time_point::max());
  EXPECT_EQ(engine_.Execute(query, budget).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(engine_.Execute(query, Unlimited()).ok());
}

}  // namespace
}  // namespace lockstep::engine
