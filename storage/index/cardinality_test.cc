#include "storage/index/cardinality.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/tenant.h"

namespace lockstep {
namespace {

using Counted = std::vector<NamedCount>;

TEST(KeepLargest, OrdersByCountThenByName) {
  const Counted all = {{"c", 2}, {"a", 1}, {"b", 2}, {"d", 3}};
  const auto largest = [&all](size_t limit) {
    Counted rows = all;
    KeepLargest(rows, limit);
    return rows;
  };
  EXPECT_EQ(largest(9), (Counted{{"d", 3}, {"b", 2}, {"c", 2}, {"a", 1}}));
  EXPECT_EQ(largest(4), (Counted{{"d", 3}, {"b", 2}, {"c", 2}, {"a", 1}}));
  EXPECT_EQ(largest(2), (Counted{{"d", 3}, {"b", 2}}));
  EXPECT_EQ(largest(0), Counted());
}

TEST(CardinalityCounter, SumsUpSeriesOverAllParts) {
  CardinalityCounter counter;
  counter.Add(LabelSet::Of({{"job", "a"}, {"rank", "10"}}), 3);
  counter.Add(LabelSet::Of({{"job", "a"}, {"rank", "7"}}), 2);
  counter.Add(LabelSet::Of({{"job", "longer"}, {"rank", "7"}}), 1);
  counter.Add(LabelSet::Of({{kMetricName, "up"}}), 6);
  CardinalityStats stats;
  counter.ListLargest(10, stats);
  EXPECT_EQ(stats.series_by_job, (Counted{{"a", 5}, {"longer", 1}}));
  EXPECT_EQ(stats.series_by_metric_name, (Counted{{"up", 6}}));
  EXPECT_EQ(stats.values_by_label_name, (Counted{{"job", 2}, {"rank", 2}, {"__name__", 1}}));
  // 5 * 1 + 6 bytes of jobs, 3 * 2 + 2 + 1 of ranks, 6 * 2 of names.
  EXPECT_EQ(stats.bytes_by_label_name, (Counted{{"__name__", 12}, {"job", 11}, {"rank", 9}}));
  EXPECT_EQ(
      stats.series_by_label_pair,
      (Counted{
          {"__name__=up", 6}, {"job=a", 5}, {"rank=10", 3}, {"rank=7", 3}, {"job=longer", 1}}));
  CardinalityStats short_stats;
  counter.ListLargest(1, short_stats);
  EXPECT_EQ(short_stats.series_by_job, (Counted{{"a", 5}}));
  EXPECT_EQ(short_stats.values_by_label_name, (Counted{{"job", 2}}));
  EXPECT_EQ(short_stats.bytes_by_label_name, (Counted{{"__name__", 12}}));
  EXPECT_EQ(short_stats.series_by_label_pair, (Counted{{"__name__=up", 6}}));
}

TEST(CardinalityCounter, ATenantIsNoLabel) {
  CardinalityCounter counter;
  counter.Add(WithTenant("acme", LabelSet::Of({{"job", "a"}})), 3);
  CardinalityStats stats;
  counter.ListLargest(10, stats);
  EXPECT_EQ(stats.values_by_label_name, (Counted{{"job", 1}}));
  EXPECT_EQ(stats.bytes_by_label_name, (Counted{{"job", 3}}));
  EXPECT_TRUE(stats.series_by_metric_name.empty());
}

}  // namespace
}  // namespace lockstep
