#include "tests/promqltest/script.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/sample.h"
#include "query/notation/series_notation.h"
#include "tests/promqltest/classic_to_native.h"
#include "tests/promqltest/comparison.h"

namespace lockstep::promqltest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Empty slots are shown as infinity.
std::vector<double> Values(std::string_view line) {
  const absl::StatusOr<SeriesLine> series = ParseSeriesLine(line);
  EXPECT_TRUE(series.ok()) << line << ": " << series.status();
  std::vector<double> values;
  if (!series.ok()) return values;
  for (const Slot& slot : series->slots) {
    values.push_back(slot ? slot->value : std::numeric_limits<double>::infinity());
  }
  return values;
}

constexpr double kGap = std::numeric_limits<double>::infinity();

TEST(SeriesNotationTest, Numbers) {
  EXPECT_THAT(Values("a 1 -2.5 1e3 .5"), ElementsAre(1, -2.5, 1000, 0.5));
  EXPECT_THAT(Values("a 1x2"), ElementsAre(1, 1, 1));
  EXPECT_THAT(Values("a 0x2"), ElementsAre(0, 0, 0));
  EXPECT_THAT(Values("a 1+2x3"), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(Values("a -1-1.5x2"), ElementsAre(-1, -2.5, -4));
  EXPECT_THAT(Values("a _ 1 _x2 2"), ElementsAre(kGap, 1, kGap, kGap, 2));
  EXPECT_THAT(Values("a 5m"), ElementsAre(300));
  EXPECT_THAT(Values("a"), IsEmpty());
  EXPECT_TRUE(IsStaleNan(Values("a stale").front()));
  EXPECT_FALSE(IsStaleNan(Values("a NaN").front()));
}

TEST(SeriesNotationTest, Labels) {
  EXPECT_EQ(ParseSeriesLine("a{b=\"c d\"} 1")->labels,
            LabelSet::Of({{"__name__", "a"}, {"b", "c d"}}));
  EXPECT_EQ(ParseSeriesLine("{b=\"}\"} 1")->labels, LabelSet::Of({{"b", "}"}}));
  EXPECT_EQ(ParseSeriesLine("{\"a b\", \"c.d\"=\"e\"} 1")->labels,
            LabelSet::Of({{"__name__", "a b"}, {"c.d", "e"}}));
  EXPECT_FALSE(ParseSeriesLine("a{b!=\"c\"} 1").ok());
  EXPECT_FALSE(ParseSeriesLine("a one").ok());
  EXPECT_FALSE(ParseSeriesLine("a 1y2").ok());
}

TEST(SeriesNotationTest, Histograms) {
  const absl::StatusOr<SeriesLine> line = ParseSeriesLine(
      "h {{schema:1 sum:-2 count:7 z_bucket:1 z_bucket_w:0.5 buckets:[1 0 2] offset:-1 "
      "n_buckets:[3] n_offset:2 counter_reset_hint:gauge}}");
  ASSERT_TRUE(line.ok()) << line.status();
  ASSERT_EQ(line->slots.size(), 1u);
  const Histogram& h = *line->slots[0]->histogram;
  EXPECT_EQ(h.schema, 1);
  EXPECT_EQ(h.sum, -2);
  EXPECT_EQ(h.count, 7);
  EXPECT_EQ(h.zero_count, 1);
  EXPECT_EQ(h.zero_threshold, 0.5);
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{-1, 3}));
  EXPECT_THAT(h.positive_counts, ElementsAre(1, 0, 2));
  EXPECT_THAT(h.negative_spans, ElementsAre(BucketSpan{2, 1}));
  EXPECT_THAT(h.negative_counts, ElementsAre(3));
  EXPECT_EQ(h.reset_hint, CounterResetHint::kGauge);
  EXPECT_TRUE(line->slots[0]->names_hint);
  EXPECT_FALSE(ParseSeriesLine("h {{bucket:[1]}}").ok());
}

TEST(SeriesNotationTest, HistogramsThatGrow) {
  // The increment's buckets 1 and 2 of schema 1 are bucket 1 of schema 0.
  const absl::StatusOr<SeriesLine> line = ParseSeriesLine(
      "h {{schema:0 sum:1 count:1 buckets:[1] offset:1}}+{{schema:1 sum:2 count:3 buckets:[1 2] "
      "offset:1}}x2");
  ASSERT_TRUE(line.ok()) << line.status();
  ASSERT_EQ(line->slots.size(), 3u);
  const Histogram& last = *line->slots[2]->histogram;
  EXPECT_EQ(last.sum, 5);
  EXPECT_EQ(last.count, 7);
  EXPECT_THAT(last.positive_spans, ElementsAre(BucketSpan{1, 1}));
  EXPECT_THAT(last.positive_counts, ElementsAre(7));
}

TEST(ScriptTest, Commands) {
  const absl::StatusOr<std::vector<Command>> commands = ParseScript(R"(
# A comment ends a block.
load 5m
  a{b="c"}@st -1mx2
  a{b="c"} 1+1x2

clear

eval instant at 10s a + # comment of the query
  expect warn msg: some text
  expect no_info
  {b="c"} 2
)");
  ASSERT_TRUE(commands.ok()) << commands.status();
  ASSERT_EQ(commands->size(), 3u);
  const auto& load = std::get<LoadCommand>((*commands)[0]);
  EXPECT_EQ(load.step_ms, 300000);
  EXPECT_EQ(load.series.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ClearCommand>((*commands)[1]));
  // Lines count from 1, and the first line is empty.
  EXPECT_EQ(std::get<EvalCommand>((*commands)[2]).line, 9);
}

TEST(ScriptTest, Evals) {
  const absl::StatusOr<std::vector<Command>> commands = ParseScript(R"(eval instant at 10s a + b
  expect warn msg: some text
  expect no_info
  {b="c"} 2

eval instant at 1m 1
  1
eval range from 0 to 1m step 30s a
  expect fail regex: a.*
  a 1 _ 2
)");
  ASSERT_TRUE(commands.ok()) << commands.status();
  ASSERT_EQ(commands->size(), 3u);
  const auto& first = std::get<EvalCommand>((*commands)[0]);
  EXPECT_EQ(first.line, 1);
  EXPECT_EQ(first.query, "a + b");
  EXPECT_EQ(first.start_ms, 10000);
  ASSERT_EQ(first.expected.warnings.size(), 1u);
  EXPECT_EQ(first.expected.warnings[0].exact, "some text");
  EXPECT_TRUE(first.expected.no_infos);
  EXPECT_EQ(first.expected.series.size(), 1u);
  // A number ends its block immediately.
  EXPECT_EQ(std::get<EvalCommand>((*commands)[1]).expected.scalar, 1);
  const auto& range = std::get<EvalCommand>((*commands)[2]);
  EXPECT_EQ(range.line, 8);
  EXPECT_TRUE(range.is_range);
  EXPECT_EQ(range.step_ms, 30000);
  EXPECT_EQ(range.expected.failure.regex, "a.*");
}

TEST(ScriptTest, Malformed) {
  for (const std::string_view text :
       {"run", "load", "load x", "eval instant a", "eval instant at x a", "eval later at 0 a",
        "eval range from 0 to 1m a", "eval instant at 0 a\n  expect miracles",
        "load 1m\n  a one"}) {
    EXPECT_FALSE(ParseScript(text).ok()) << text;
  }
}

TEST(ClassicToNativeTest, BucketsBecomeCustomBounds) {
  std::vector<SeriesWrite> classic;
  const auto add = [&classic](LabelSet labels, double value) {
    SeriesWrite write;
    write.labels = std::move(labels);
    write.samples = {{5, value}};
    classic.push_back(std::move(write));
  };
  add(LabelSet::Of({{"__name__", "h_bucket"}, {"le", "1"}, {"j", "x"}}), 2);
  add(LabelSet::Of({{"__name__", "h_bucket"}, {"le", ".5"}, {"j", "x"}}), 1);
  add(LabelSet::Of({{"__name__", "h_bucket"}, {"le", "+Inf"}, {"j", "x"}}), 6);
  add(LabelSet::Of({{"__name__", "h_sum"}, {"j", "x"}}), 20);
  add(LabelSet::Of({{"__name__", "other"}, {"j", "x"}}), 20);
  const std::vector<SeriesWrite> native = ClassicToNative(classic);
  ASSERT_EQ(native.size(), 1u);
  EXPECT_EQ(native[0].labels, LabelSet::Of({{"__name__", "h"}, {"j", "x"}}));
  ASSERT_EQ(native[0].histograms.size(), 1u);
  const Histogram& histogram = *native[0].histograms[0].histogram;
  EXPECT_EQ(histogram.schema, kCustomBucketsSchema);
  EXPECT_THAT(histogram.custom_values, ElementsAre(0.5, 1));
  EXPECT_THAT(histogram.positive_counts, ElementsAre(1, 1, 4));
  EXPECT_EQ(histogram.count, 6);
  EXPECT_EQ(histogram.sum, 20);
}

TEST(ComparisonTest, Numbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(NumbersAgree(1, 1 + 1e-7));
  EXPECT_FALSE(NumbersAgree(1, 1 + 1e-5));
  EXPECT_TRUE(NumbersAgree(nan, -nan));
  EXPECT_FALSE(NumbersAgree(nan, StaleNan()));
  EXPECT_TRUE(NumbersAgree(StaleNan(), StaleNan()));
  EXPECT_FALSE(NumbersAgree(0, 1e-300));
  EXPECT_TRUE(NumbersAgree(kGap, kGap));
  EXPECT_FALSE(NumbersAgree(kGap, -kGap));
}

engine::QueryResult VectorOf(std::vector<engine::VectorElement> elements) {
  engine::QueryResult result;
  result.value = std::move(elements);
  return result;
}

// The comparison must be able to fail.
TEST(ComparisonTest, Vectors) {
  const auto commands = ParseScript("eval instant at 1s a\n  {x=\"1\"} 1\n  {x=\"2\"} 2");
  ASSERT_TRUE(commands.ok());
  const auto& eval = std::get<EvalCommand>(commands->front());
  const engine::VectorElement one{LabelSet::Of({{"x", "1"}}), 1000, 1, nullptr};
  const engine::VectorElement two{LabelSet::Of({{"x", "2"}}), 1000, 2, nullptr};
  engine::VectorElement wrong_value = two;
  wrong_value.value = 3;
  engine::VectorElement wrong_time = two;
  wrong_time.timestamp_ms = 0;
  EXPECT_EQ(Compare(eval, VectorOf({two, one})), "");
  EXPECT_NE(Compare(eval, VectorOf({one})), "");
  EXPECT_NE(Compare(eval, VectorOf({one, two, two})), "");
  EXPECT_NE(Compare(eval, VectorOf({one, wrong_value})), "");
  EXPECT_NE(Compare(eval, VectorOf({one, wrong_time})), "");
  EXPECT_NE(Compare(eval, absl::InternalError("no")), "");
  EvalCommand ordered = eval;
  ordered.expected.ordered = true;
  EXPECT_EQ(Compare(ordered, VectorOf({one, two})), "");
  EXPECT_NE(Compare(ordered, VectorOf({two, one})), "");
}

TEST(ComparisonTest, Annotations) {
  const auto commands = ParseScript("eval instant at 1s a\n  expect warn msg: w\n  expect no_info");
  ASSERT_TRUE(commands.ok());
  const auto& eval = std::get<EvalCommand>(commands->front());
  engine::QueryResult result = VectorOf({});
  EXPECT_NE(Compare(eval, result), "");
  result.annotations.warnings = {"w"};
  EXPECT_EQ(Compare(eval, result), "");
  result.annotations.infos = {"i"};
  EXPECT_NE(Compare(eval, result), "");
  result.annotations = {{"w", "x"}, {}};
  EXPECT_NE(Compare(eval, result), "");
}

}  // namespace
}  // namespace lockstep::promqltest
