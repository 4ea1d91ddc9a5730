// Range queries with reductions: of each bin they return exactly what the functions over a range
// vector return.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "query/engine/engine_testing.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kSecond = 1000;

RangeQuery QueryOf(std::string_view text, int64_t start_ms, int64_t end_ms, int64_t step_ms,
                   std::vector<Reduction> reductions = {}) {
  RangeQuery query;
  query.text = text;
  query.start_ms = start_ms;
  query.end_ms = end_ms;
  query.step_ms = step_ms;
  query.reductions = std::move(reductions);
  query.resolution_ms = 10 * kSecond;
  return query;
}

class ReducedRangeTest : public EngineFixture {
 protected:
  std::vector<std::string> Reduced(std::string_view text, std::vector<Reduction> reductions,
                                   int64_t end_ms = 3 * kMinute) {
    const auto result =
        engine_.Execute(QueryOf(text, 0, end_ms, kMinute, std::move(reductions)), Unlimited());
    if (!result.ok()) return {std::string(Message(result.status()))};
    return Lines(std::get<MatrixResult>(result->value));
  }
};

TEST_F(ReducedRangeTest, ASpikeBetweenStepsIsInItsBin) {
  const LabelSet m = LabelSet::Of({{"__name__", "m"}, {"rank", "3"}});
  for (int64_t second = 0; second <= 180; second += 10) {
    storage_.Append(m, second * kSecond, second == 70 ? 900 : second == 130 ? -5 : 1);
  }
  EXPECT_THAT(RangeLines("m", 0, 3 * kMinute), ElementsAre("m{rank=\"3\"} 1@0 1@60 1@120 1@180"));
  EXPECT_THAT(Reduced("m", {Reduction::kMin, Reduction::kMax, Reduction::kLast, Reduction::kCount}),
              ElementsAre("m{__reduce__=\"count\", rank=\"3\"} 1@0 6@60 6@120 6@180",
                          "m{__reduce__=\"last\", rank=\"3\"} 1@0 1@60 1@120 1@180",
                          "m{__reduce__=\"max\", rank=\"3\"} 1@0 1@60 900@120 1@180",
                          "m{__reduce__=\"min\", rank=\"3\"} 1@0 1@60 1@120 -5@180"));
}

// A bin without samples has no value, although a plain selector would find an older sample.
TEST_F(ReducedRangeTest, AnEmptyBinHasNoValue) {
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 50 * kSecond, 7);
  EXPECT_THAT(Reduced("m", {Reduction::kLast}), ElementsAre("m{__reduce__=\"last\"} 7@60"));
  EXPECT_THAT(Reduced("none", {Reduction::kLast}), IsEmpty());
}

TEST_F(ReducedRangeTest, ExpressionsAreEvaluatedInsideTheirBins) {
  for (const char* rank : {"0", "1"}) {
    const LabelSet m = LabelSet::Of({{"__name__", "m"}, {"rank", rank}});
    for (int64_t second = 0; second <= 180; second += 10) {
      storage_.Append(m, second * kSecond, second == 70 ? 100 : 1);
    }
  }
  EXPECT_THAT(Reduced("sum(m)", {Reduction::kMax, Reduction::kCount}),
              ElementsAre("{__reduce__=\"count\"} 1@0 6@60 6@120 6@180",
                          "{__reduce__=\"max\"} 2@0 2@60 200@120 2@180"));
  EXPECT_THAT(
      Reduced("time()", {Reduction::kMin, Reduction::kFirst}, kMinute),
      ElementsAre("{__reduce__=\"first\"} -50@0 10@60", "{__reduce__=\"min\"} -50@0 10@60"));
  EXPECT_THAT(
      Reduced("m * 0", {Reduction::kSum}, 0),
      ElementsAre("{__reduce__=\"sum\", rank=\"0\"} 0@0", "{__reduce__=\"sum\", rank=\"1\"} 0@0"));
}

TEST_F(ReducedRangeTest, OtherTypesHaveTheErrorOfAnyRangeQuery) {
  for (const char* text : {"m[1m]", "\"text\"", "sum("}) {
    const auto plain = engine_.Execute(QueryOf(text, 0, 0, kMinute), Unlimited()).status();
    const auto reduced =
        engine_.Execute(QueryOf(text, 0, 0, kMinute, {Reduction::kMax}), Unlimited()).status();
    EXPECT_EQ(reduced.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(reduced, plain) << text;
  }
}

TEST_F(ReducedRangeTest, TheBudgetIsCharged) {
  for (int64_t second = 0; second < 3000; ++second) {
    storage_.Append(LabelSet::Of({{"__name__", "m"}}), second * kSecond, 1);
  }
  QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
  const auto result =
      engine_.Execute(QueryOf("m", 0, 3000 * kSecond, kMinute, {Reduction::kMax}), budget);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  // Nothing stays charged.
  EXPECT_TRUE(budget.Charge(1000).ok());
}

// --- Against the functions, over random series -------------------------------------------------

using Random = std::mt19937_64;

std::shared_ptr<const Histogram> RandomHistogram(Random& random) {
  Histogram histogram;
  histogram.count = static_cast<double>(random() % 100);
  histogram.sum = random() % 9 == 0 ? StaleNan() : histogram.count * 2;
  histogram.zero_count = histogram.count;
  return std::make_shared<const Histogram>(std::move(histogram));
}

double RandomValue(int kind, double last, Random& random) {
  switch (kind) {
    case 0:  // a counter with resets
      return random() % 20 == 0 ? 0 : last + static_cast<double>(random() % 9);
    case 1:
      return random() % 2 == 0 ? 0.0 : -0.0;
    case 2:
      return random() % 3 == 0 ? NAN : static_cast<double>(random() % 100);
    case 3:
      return random() % 5 == 0 ? StaleNan() : -static_cast<double>(random() % 100);
    case 4:
      return random() % 7 == 0 ? INFINITY : -static_cast<double>(random() % 1000) / 7;
    default:
      return static_cast<double>(random() % 2000) / 10 - 100;
  }
}

// With irregular times, gaps, and histograms among the floats of some series.
void AppendRandomSeries(MemoryStorage& storage, int number, int64_t end_ms, Random& random) {
  const int kind = number % 7;
  const LabelSet labels = LabelSet::Of({{"__name__", number % 2 == 0 ? "m_total" : "n"},
                                        {"kind", std::to_string(kind)},
                                        {"number", std::to_string(number)}});
  double last = 0;
  int64_t time_ms = static_cast<int64_t>(random() % 20'000);
  while (time_ms < end_ms) {
    if (kind == 6 && random() % 3 == 0) {
      storage.Append(labels, time_ms, RandomHistogram(random));
    } else {
      last = RandomValue(kind, std::isnan(last) ? 0 : last, random);
      storage.Append(labels, time_ms, last);
    }
    time_ms += 1 + static_cast<int64_t>(random() % (random() % 30 == 0 ? 900'000 : 20'000));
  }
}

std::string ToText(const SampleColumns& samples) {
  std::string text;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    text += absl::StrFormat(" %d=%x", samples.timestamps_ms[i],
                            std::bit_cast<uint64_t>(samples.values[i]));
  }
  for (const HistogramSample& sample : samples.histograms) {
    text += absl::StrFormat(" %d={%x %x}", sample.timestamp_ms,
                            std::bit_cast<uint64_t>(sample.histogram->count),
                            std::bit_cast<uint64_t>(sample.histogram->sum));
  }
  return text;
}

// The series without their names, sorted by labels, and the annotations.
std::vector<std::string> LinesOf(const absl::StatusOr<QueryResult>& result,
                                 std::string_view reduction) {
  if (!result.ok()) return {result.status().ToString()};
  std::vector<std::string> lines;
  for (const MatrixSeries& series : std::get<MatrixResult>(result->value)) {
    LabelSetBuilder labels(series.labels);
    if (labels.Get(kReduceLabel) != reduction) continue;
    labels.Delete("__name__").Delete(kReduceLabel);
    lines.push_back(labels.Build().ToString() + ToText(series.samples));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct Grid {
  int64_t start_ms;
  int64_t end_ms;
  int64_t step_ms;
};

// MODIFIERS with the window in front of them.
std::string FunctionText(Reduction reduction, std::string_view selector, std::string_view modifiers,
                         std::string_view window) {
  return absl::StrFormat("%s_over_time(%s[%s]%s)", Name(reduction), selector, window, modifiers);
}

class ReducedLikeFunctionsTest : public ::testing::Test {
 protected:
  ReducedLikeFunctionsTest() {
    Random random(7);
    for (int number = 0; number < 42; ++number) {
      AppendRandomSeries(storage_, number, 3 * 60 * kMinute, random);
    }
  }

  void ExpectSame(const Grid& grid, std::string_view text, std::string_view selector,
                  std::string_view modifiers, std::string_view window) {
    const std::vector<Reduction> all(AllReductions().begin(), AllReductions().end());
    const auto reduced =
        engine_.Execute(QueryOf(text, grid.start_ms, grid.end_ms, grid.step_ms, all), Unlimited());
    ASSERT_TRUE(reduced.ok()) << reduced.status();
    for (const Reduction reduction : all) {
      const std::string function = FunctionText(reduction, selector, modifiers, window);
      const auto expected =
          engine_.Execute(QueryOf(function, grid.start_ms, grid.end_ms, grid.step_ms), Unlimited());
      EXPECT_EQ(LinesOf(reduced, Name(reduction)), LinesOf(expected, ""))
          << function << " at " << grid.start_ms << " " << grid.end_ms << " " << grid.step_ms;
      const auto alone = engine_.Execute(
          QueryOf(text, grid.start_ms, grid.end_ms, grid.step_ms, {reduction}), Unlimited());
      EXPECT_EQ(LinesOf(alone, Name(reduction)), LinesOf(expected, "")) << function << " alone";
    }
  }

  MemoryStorage storage_;
  Engine engine_{storage_, EngineOptions{.threads = 3}};
};

// Some bins are whole five-minute buckets, of which a store may keep the extremes.
const Grid kGrids[] = {{0, 170 * kMinute, 5 * kMinute},
                       {20 * kMinute, 170 * kMinute, 10 * kMinute},
                       {12'345, 9'000'000, 61'007},
                       {kMinute, kMinute, 30 * kSecond},
                       {-kMinute, 12 * 60 * kMinute, 60 * kMinute}};

TEST_F(ReducedLikeFunctionsTest, Selectors) {
  const std::pair<const char*, const char*> selectors[] = {{"m_total", ""},
                                                           {"n", " offset 90s"},
                                                           {"n", " offset -5m"},
                                                           {"m_total", " @ 3600"},
                                                           {"n", " @ end() offset 10m"},
                                                           {"m_total{kind=\"6\"}", ""},
                                                           {"{__name__=~\"m_total|n\"}", ""}};
  for (const Grid& grid : kGrids) {
    const std::string window = absl::StrFormat("%dms", grid.step_ms);
    for (const auto& [selector, modifiers] : selectors) {
      const std::string text = absl::StrFormat("%s%s", selector, modifiers);
      ExpectSame(grid, text, selector, modifiers, window);
      ExpectSame(grid, "((" + text + "))", selector, modifiers, window);
    }
  }
}

TEST_F(ReducedLikeFunctionsTest, Expressions) {
  for (const Grid& grid : kGrids) {
    const std::string window = absl::StrFormat("%dms:10s", grid.step_ms);
    for (const char* text : {"rate(m_total[2m])", "sum by (kind) (n)", "n > 0", "-n",
                             "max_over_time(n[1m])", "n offset 1m + 1", "sum(n @ 600)"}) {
      ExpectSame(grid, text, absl::StrFormat("(%s)", text), "", window);
    }
  }
}

// An annotation is that of the function.
TEST_F(ReducedLikeFunctionsTest, AnnotationsStay) {
  const Grid& grid = kGrids[0];
  const std::string_view text = "m_total{kind=\"6\"}";
  const auto reduced = engine_.Execute(
      QueryOf(text, grid.start_ms, grid.end_ms, grid.step_ms, {Reduction::kMin}), Unlimited());
  const auto function = engine_.Execute(QueryOf(FunctionText(Reduction::kMin, text, "", "5m"),
                                                grid.start_ms, grid.end_ms, grid.step_ms),
                                        Unlimited());
  ASSERT_TRUE(reduced.ok() && function.ok());
  ASSERT_EQ(function->annotations.infos.size(), 1u);
  ASSERT_EQ(reduced->annotations.infos.size(), 1u);
  EXPECT_THAT(reduced->annotations.infos[0], HasSubstr("ignored histograms"));
}

}  // namespace
}  // namespace lockstep::engine
