// Binary operators between floats, native histograms and numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A native histogram of (1, 2] and (2, 4].
Histogram OfCounts(double first, double second) {
  Histogram histogram;
  histogram.count = first + second;
  histogram.sum = first;
  histogram.positive_spans = {{1, 2}};
  histogram.positive_counts = {first, second};
  return histogram;
}

class BinaryOperatorsTest : public EngineFixture {
 protected:
  BinaryOperatorsTest() {
    LoadHistogram({{"__name__", "h"}, {"i", "0"}}, OfCounts(2, 4));
    LoadHistogram({{"__name__", "g"}, {"i", "0"}}, OfCounts(1, 1));
    Load({{"__name__", "m"}, {"i", "0"}}, {5});
    Histogram custom;
    custom.schema = kCustomBucketsSchema;
    custom.count = 3;
    custom.positive_spans = {{0, 1}};
    custom.positive_counts = {3};
    custom.custom_values = {5};
    LoadHistogram({{"__name__", "c"}, {"i", "0"}}, custom);
  }

  // name{labels} {COUNTS} of histograms, or of floats their value.
  std::vector<std::string> Results(std::string_view text) {
    const auto result = Instant(text);
    if (!result.ok()) return {std::string(Message(result.status()))};
    std::vector<std::string> lines;
    for (const VectorElement& element : std::get<VectorResult>(result->value)) {
      std::string line = element.labels.ToString() + " ";
      if (element.histogram == nullptr) {
        line += FormatSampleValue(element.value);
      } else {
        line += "{";
        for (const double count : element.histogram->positive_counts) {
          line += " " + FormatSampleValue(count);
        }
        line += " }";
      }
      lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(BinaryOperatorsTest, HistogramsAreAddedAndSubtracted) {
  EXPECT_THAT(Results("h + g"), ElementsAre("{i=\"0\"} { 3 5 }"));
  EXPECT_THAT(Results("h - g"), ElementsAre("{i=\"0\"} { 1 3 }"));
  EXPECT_THAT(Results("h - h"), ElementsAre("{i=\"0\"} { }"));
  EXPECT_THAT(Notes("h + g - h"), IsEmpty());
}

TEST_F(BinaryOperatorsTest, HistogramsAreCompared) {
  EXPECT_THAT(Results("h == h"), ElementsAre("h{i=\"0\"} { 2 4 }"));
  EXPECT_THAT(Results("h == g"), IsEmpty());
  EXPECT_THAT(Results("h != g"), ElementsAre("h{i=\"0\"} { 2 4 }"));
  EXPECT_THAT(Results("h != h"), IsEmpty());
  EXPECT_THAT(Results("h == bool g"), ElementsAre("{i=\"0\"} 0"));
  EXPECT_THAT(Results("h != bool g"), ElementsAre("{i=\"0\"} 1"));
}

TEST_F(BinaryOperatorsTest, HistogramsAreScaled) {
  EXPECT_THAT(Results("h * m"), ElementsAre("{i=\"0\"} { 10 20 }"));
  EXPECT_THAT(Results("m * h"), ElementsAre("{i=\"0\"} { 10 20 }"));
  EXPECT_THAT(Results("h / m"), ElementsAre("{i=\"0\"} { 0.4 0.8 }"));
  EXPECT_THAT(Results("h * 2"), ElementsAre("{i=\"0\"} { 4 8 }"));
  EXPECT_THAT(Results("2 * h"), ElementsAre("{i=\"0\"} { 4 8 }"));
  EXPECT_THAT(Results("h / 2"), ElementsAre("{i=\"0\"} { 1 2 }"));
}

// That is no arithmetic: names stay.
TEST_F(BinaryOperatorsTest, HistogramsAreTrimmed) {
  EXPECT_THAT(Results("h </ 2"), ElementsAre("h{i=\"0\"} { 2 }"));
  EXPECT_THAT(Results("h >/ 2"), ElementsAre("h{i=\"0\"} { 4 }"));
  EXPECT_THAT(Results("h </ (m - 3)"), ElementsAre("h{i=\"0\"} { 2 }"));
  EXPECT_THAT(Results("m </ 2"), IsEmpty());
  EXPECT_THAT(Notes("m </ 2"),
              ElementsAre("PromQL info: incompatible sample types encountered for binary operator "
                          "\"</\": float </ float (1:1)"));
}

TEST_F(BinaryOperatorsTest, OtherOperatorsDoNotTakeHistograms) {
  struct Row {
    const char* text;
    const char* types;
  };
  constexpr Row kRows[] = {
      {"h * g", "\"*\": histogram * histogram"}, {"h > g", "\">\": histogram > histogram"},
      {"h + m", "\"+\": histogram + float"},     {"m + h", "\"+\": float + histogram"},
      {"m / h", "\"/\": float / histogram"},     {"h ^ 2", "\"^\": histogram ^ float"},
      {"2 / h", "\"/\": float / histogram"},     {"h == 2", "\"==\": histogram == float"},
      {"2 > h", "\">\": float > histogram"},     {"h == bool 2", "\"==\": histogram == float"},
      {"m </ h", "\"</\": float </ histogram"},
  };
  for (const Row& row : kRows) {
    EXPECT_THAT(Results(row.text), IsEmpty()) << row.text;
    EXPECT_THAT(Notes(row.text),
                ElementsAre("PromQL info: incompatible sample types encountered for binary "
                            "operator " +
                            std::string(row.types) + " (1:1)"));
  }
}

TEST_F(BinaryOperatorsTest, BucketsMustBeOfOneFamily) {
  for (const char* text : {"h + c", "h - c"}) {
    EXPECT_THAT(Results(text), IsEmpty()) << text;
    EXPECT_THAT(Notes(text), ElementsAre("PromQL warning: incompatible bucket layout encountered "
                                         "for binary operator " +
                                         std::string(1, text[2]) + " (1:1)"));
  }
}

TEST_F(BinaryOperatorsTest, ResetsAndBoundsOfOperandsAreNoted) {
  Histogram reset = OfCounts(1, 1);
  reset.reset_hint = CounterResetHint::kReset;
  LoadHistogram({{"__name__", "reset"}, {"i", "0"}}, reset);
  Histogram not_reset = OfCounts(1, 1);
  not_reset.reset_hint = CounterResetHint::kNotReset;
  LoadHistogram({{"__name__", "not_reset"}, {"i", "0"}}, not_reset);
  EXPECT_THAT(Notes("reset + not_reset"),
              ElementsAre("PromQL warning: conflicting counter resets during histogram addition "
                          "(1:1)"));
  EXPECT_THAT(Notes("reset - not_reset"),
              ElementsAre("PromQL warning: conflicting counter resets during histogram subtraction "
                          "(1:1)"));
  EXPECT_THAT(Notes("reset + reset"), IsEmpty());
  Histogram other;
  other.schema = kCustomBucketsSchema;
  other.count = 3;
  other.positive_spans = {{0, 2}};
  other.positive_counts = {1, 2};
  other.custom_values = {4, 5};
  LoadHistogram({{"__name__", "other"}, {"i", "0"}}, other);
  EXPECT_THAT(Notes("c + other"),
              ElementsAre("PromQL info: mismatched custom buckets were reconciled during addition "
                          "(1:1)"));
  EXPECT_THAT(Notes("c - other"),
              ElementsAre("PromQL info: mismatched custom buckets were reconciled during "
                          "subtraction (1:1)"));
}

TEST_F(BinaryOperatorsTest, NumbersAreOnEitherSide) {
  EXPECT_THAT(Results("m - 2"), ElementsAre("{i=\"0\"} 3"));
  EXPECT_THAT(Results("2 - m"), ElementsAre("{i=\"0\"} -3"));
  EXPECT_THAT(Results("m > 4"), ElementsAre("m{i=\"0\"} 5"));
  EXPECT_THAT(Results("4 > m"), IsEmpty());
  // The vector's element stays, whatever side it is on.
  EXPECT_THAT(Results("4 < m"), ElementsAre("m{i=\"0\"} 5"));
  EXPECT_THAT(Results("4 < bool m"), ElementsAre("{i=\"0\"} 1"));
  EXPECT_THAT(Results("m > bool 7"), ElementsAre("{i=\"0\"} 0"));
  EXPECT_THAT(Results("m ^ 2"), ElementsAre("{i=\"0\"} 25"));
  EXPECT_THAT(Results("2 ^ m"), ElementsAre("{i=\"0\"} 32"));
  EXPECT_THAT(Results("m % 3"), ElementsAre("{i=\"0\"} 2"));
  EXPECT_THAT(Results("m atan2 m"), ElementsAre("{i=\"0\"} 0.7853981633974483"));
  EXPECT_THAT(RangeLines("1 + time() > bool 30", 0, kMinute), ElementsAre("{} 0@0 1@60"));
  EXPECT_THAT(RangeLines("7 - time() % 7", 0, kMinute), ElementsAre("{} 7@0 3@60"));
}

// A series with a float at one step and a histogram at another.
TEST_F(BinaryOperatorsTest, MixedSeriesAreJudgedStepByStep) {
  const LabelSet labels = LabelSet::Of({{"__name__", "x"}, {"i", "0"}});
  storage_.Append(labels, 0, std::make_shared<const Histogram>(OfCounts(2, 4)));
  storage_.Append(labels, kMinute, 3.0);
  EXPECT_THAT(RangeLines("x + 1", 0, kMinute), ElementsAre("{i=\"0\"} 4@60"));
  EXPECT_THAT(RangeLines("x == 3", 0, kMinute), ElementsAre("x{i=\"0\"} 3@60"));
  EXPECT_THAT(RangeLines("x == bool 4", 0, kMinute), ElementsAre("{i=\"0\"} 0@60"));
  EXPECT_THAT(RangeLines("x + m", 0, kMinute), ElementsAre("{i=\"0\"} 8@60"));
  EXPECT_THAT(RangeLines("x < m", 0, kMinute), ElementsAre("x{i=\"0\"} 3@60"));
  EXPECT_THAT(RangeLines("x < bool m", 0, kMinute), ElementsAre("{i=\"0\"} 1@60"));
  EXPECT_THAT(RangeLines("x > m", 0, kMinute), IsEmpty());
  const auto scaled = Range("x * 2", 0, kMinute);
  const auto& samples = std::get<MatrixResult>(scaled->value).at(0).samples;
  EXPECT_THAT(samples.values, ElementsAre(6));
  ASSERT_EQ(samples.histograms.size(), 1u);
  EXPECT_EQ(samples.histograms[0].histogram->count, 12);
}

TEST_F(BinaryOperatorsTest, SetOperatorsKeepWhatTheyChoose) {
  Load({{"__name__", "n"}, {"i", "0"}}, {1, StaleNan(), 3});
  Load({{"__name__", "n"}, {"i", "1"}}, {4, 5, 6});
  Load({{"__name__", "o"}, {"i", "0"}}, {StaleNan(), 8, 9});
  EXPECT_THAT(RangeLines("n and on (i) o", 0, 2 * kMinute), ElementsAre("n{i=\"0\"} 3@120"));
  EXPECT_THAT(RangeLines("n unless on (i) o", 0, 2 * kMinute),
              ElementsAre("n{i=\"0\"} 1@0", "n{i=\"1\"} 4@0 5@60 6@120"));
  EXPECT_THAT(RangeLines("n or on (i) o", 0, 2 * kMinute),
              ElementsAre("n{i=\"0\"} 1@0 3@120", "n{i=\"1\"} 4@0 5@60 6@120", "o{i=\"0\"} 8@60"));
  EXPECT_THAT(RangeLines("n and ignoring (i) o", 0, kMinute), ElementsAre("n{i=\"1\"} 5@60"));
  // One series among several is enough.
  EXPECT_THAT(RangeLines("o and ignoring (i) n", 0, kMinute), ElementsAre("o{i=\"0\"} 8@60"));
  EXPECT_THAT(RangeLines("o or ignoring (i) n", 0, kMinute),
              ElementsAre("n{i=\"0\"} 1@0", "n{i=\"1\"} 4@0", "o{i=\"0\"} 8@60"));
}

// Whether or not their names go.
TEST_F(BinaryOperatorsTest, ElementsOfBothSidesKeepTheirOrder) {
  Load({{"__name__", "n"}, {"i", "1"}}, {4});
  EXPECT_THAT(Results("abs(n) or m"), ElementsAre("{i=\"1\"} 4", "m{i=\"0\"} 5"));
  EXPECT_THAT(Results("m or abs(n)"), ElementsAre("m{i=\"0\"} 5", "{i=\"1\"} 4"));
}

TEST_F(BinaryOperatorsTest, MatchesHaveTheirLabels) {
  Load({{"__name__", "a"}, {"x", "1"}, {"y", "2"}, {"z", "3"}}, {10});
  Load({{"__name__", "b"}, {"x", "1"}, {"y", "5"}, {"z", "3"}, {"w", "7"}}, {2});
  EXPECT_THAT(Results("a / on (x, z) b"), ElementsAre("{x=\"1\", z=\"3\"} 5"));
  EXPECT_THAT(Results("a / ignoring (y, w) b"), ElementsAre("{x=\"1\", z=\"3\"} 5"));
  EXPECT_THAT(Results("a > on (x) b"), ElementsAre("{x=\"1\"} 10"));
  EXPECT_THAT(Results("a > ignoring (y, w) b"), ElementsAre("a{x=\"1\", z=\"3\"} 10"));
  EXPECT_THAT(Results("a / on (x) group_left (w, none) b"),
              ElementsAre("{w=\"7\", x=\"1\", y=\"2\", z=\"3\"} 5"));
  EXPECT_THAT(Results("a > on (x) group_left (y) b"),
              ElementsAre("a{x=\"1\", y=\"5\", z=\"3\"} 10"));
  EXPECT_THAT(Results("b < bool on (x) group_right () a"),
              ElementsAre("{x=\"1\", y=\"2\", z=\"3\"} 1"));
  EXPECT_THAT(Results("a / b"), IsEmpty());
}

TEST_F(BinaryOperatorsTest, FilledElementsHaveTheLabelsOfTheirGroup) {
  Load({{"__name__", "a"}, {"x", "1"}, {"y", "2"}}, {10, 20});
  Load({{"__name__", "b"}, {"x", "2"}, {"y", "3"}}, {4, 5});
  EXPECT_THAT(RangeLines("a + on (x) fill (100) b", 0, kMinute),
              ElementsAre("{x=\"1\"} 110@0 120@60", "{x=\"2\"} 104@0 105@60"));
  EXPECT_THAT(RangeLines("a - on (x) fill_left (1) b", 0, kMinute),
              ElementsAre("{x=\"2\"} -3@0 -4@60"));
  EXPECT_THAT(RangeLines("a - on (x) fill_right (1) b", 0, kMinute),
              ElementsAre("{x=\"1\"} 9@0 19@60"));
  EXPECT_THAT(RangeLines("a > on (x) fill_right (15) b", 0, kMinute),
              ElementsAre("{x=\"1\"} 20@60"));
  EXPECT_THAT(RangeLines("a > bool on (x) fill (15) b", 0, kMinute),
              ElementsAre("{x=\"1\"} 0@0 1@60", "{x=\"2\"} 1@0 1@60"));
}

TEST_F(BinaryOperatorsTest, GroupingLabelsMustMakeResultsUnique) {
  Load({{"__name__", "many"}, {"x", "1"}, {"y", "1"}}, {1});
  Load({{"__name__", "many"}, {"x", "1"}, {"y", "2"}}, {1});
  Load({{"__name__", "one"}, {"x", "1"}, {"y", "3"}}, {1});
  EXPECT_THAT(Results("many * on (x) group_left (y) one"),
              ElementsAre("multiple matches for labels: grouping labels must ensure unique "
                          "matches"));
  EXPECT_THAT(Results("many * on (x) one"),
              ElementsAre("multiple matches for labels: many-to-one matching must be explicit "
                          "(group_left/group_right)"));
  EXPECT_THAT(Results("one * on (x) many"), ElementsAre(HasSubstr("found duplicate series")));
}

}  // namespace
}  // namespace lockstep::engine
