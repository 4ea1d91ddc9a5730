#include "query/engine/context/histogram_stats.h"

#include <gtest/gtest.h>

#include "query/promql/parser/parser.h"

namespace lockstep::engine {
namespace {

size_t CountFound(std::string_view text) {
  const auto expr = promql::ParseExpr(text);
  EXPECT_TRUE(expr.ok()) << expr.status();
  return FindHistogramStatsSelectors(**expr).size();
}

TEST(HistogramStats, FindsSelectorsWhoseBucketsNobodyNeeds) {
  EXPECT_EQ(CountFound("histogram_count(rate(m[5m]))"), 1u);
  EXPECT_EQ(CountFound("histogram_sum(sum(a)) / histogram_count(sum(b))"), 2u);
  EXPECT_EQ(CountFound("rate(m[5m])"), 0u);
  EXPECT_EQ(CountFound("max_over_time(histogram_count(m)[1h:1m])"), 0u);
  EXPECT_EQ(CountFound("histogram_count(increase(m[5m:1m]))"), 0u);
  EXPECT_EQ(CountFound("histogram_count(m </ 5)"), 0u);
  EXPECT_EQ(CountFound("histogram_quantile(0.5, m)"), 0u);
}

TEST(HistogramStats, UnknownHintsAreResolvedByTheSampleBefore) {
  SampleColumns columns;
  for (const double count : {5.0, 7.0, 3.0, 4.0}) {
    Histogram histogram;
    histogram.count = count;
    histogram.positive_spans = {{0, 1}};
    histogram.positive_counts = {count};
    columns.histograms.push_back({0, std::make_shared<const Histogram>(histogram)});
  }
  Histogram gauge;
  gauge.reset_hint = CounterResetHint::kGauge;
  columns.histograms.push_back({0, std::make_shared<const Histogram>(gauge)});
  KeepStatsOnly(columns);
  const auto hint = [&](size_t i) { return columns.histograms[i].histogram->reset_hint; };
  EXPECT_EQ(hint(0), CounterResetHint::kUnknown);
  EXPECT_EQ(hint(1), CounterResetHint::kNotReset);
  EXPECT_EQ(hint(2), CounterResetHint::kReset);
  EXPECT_EQ(hint(3), CounterResetHint::kNotReset);
  EXPECT_EQ(hint(4), CounterResetHint::kGauge);
  EXPECT_EQ(columns.histograms[1].histogram->count, 7);
  EXPECT_TRUE(columns.histograms[1].histogram->positive_counts.empty());
}

}  // namespace
}  // namespace lockstep::engine
