#include "query/engine/kernels/aggregators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "query/engine/kernels/kernel_testing.h"
#include "query/engine/kernels/numbers/constants.h"
#include "query/promql/syntax/operator_names.h"

namespace lockstep::engine {
namespace {

using promql::AggregateOp;

TEST(AggregatorsTest, FoldsFloats) {
  const double max = std::numeric_limits<double>::max();
  const struct {
    AggregateOp op;
    std::vector<double> values;
    double expected;
    double param = 0;
  } rows[] = {
      {AggregateOp::kSum, {1, 2, 3}, 6},
      {AggregateOp::kSum, {1e100, 1, -1e100}, 1},
      {AggregateOp::kSum, {kInfinity, -kInfinity}, kNan},
      {AggregateOp::kAvg, {1, 2, 6}, 3},
      {AggregateOp::kAvg, {max, max, max}, max},
      {AggregateOp::kAvg, {kInfinity, 1}, kInfinity},
      {AggregateOp::kCount, {1, kNan}, 2},
      {AggregateOp::kGroup, {7, 8}, 1},
      {AggregateOp::kMin, {kNan, 3, 2}, 2},
      {AggregateOp::kMax, {3, kNan, 2}, 3},
      {AggregateOp::kMax, {kNan, kNan}, kNan},
      {AggregateOp::kStdvar, {2, 4, 4, 4, 5, 5, 7, 9}, 4},
      {AggregateOp::kStddev, {2, 4, 4, 4, 5, 5, 7, 9}, 2},
      {AggregateOp::kStdvar, {5}, 0},
      {AggregateOp::kStdvar, {kInfinity}, kNan},
      {AggregateOp::kQuantile, {4, 1, 3, 2}, 2.5, 0.5},
      {AggregateOp::kQuantile, {1, 2}, kInfinity, 2},
  };
  for (const auto& row : rows) {
    AnnotationSink sink;
    GroupAccumulator group;
    for (const double value : row.values) group.Add(row.op, value);
    const WindowResult result = group.Finish(row.op, row.param, sink);
    ASSERT_EQ(result.kind, WindowResult::Kind::kFloat);
    if (std::isnan(row.expected)) {
      EXPECT_TRUE(std::isnan(result.value)) << promql::AggregatorName(row.op);
    } else {
      EXPECT_DOUBLE_EQ(result.value, row.expected) << promql::AggregatorName(row.op);
    }
    EXPECT_TRUE(sink.empty());
  }
}

TEST(AggregatorsTest, BehindAFloatHistogramsAreNotLookedAt) {
  Histogram exponential;
  Histogram custom;
  custom.schema = kCustomBucketsSchema;
  AnnotationSink sink;
  GroupAccumulator group;
  group.Add(AggregateOp::kSum, 1);
  group.Add(AggregateOp::kSum, exponential, sink);
  group.Add(AggregateOp::kSum, custom, sink);
  EXPECT_EQ(group.Finish(AggregateOp::kSum, 0, sink).kind, WindowResult::Kind::kNone);
  const std::vector<Annotation> notes = sink.Take();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].kind, AnnotationKind::kMixedFloatsHistogramsInAggregation);
}

TEST(AggregatorsTest, AnEmptyGroupHasNoResult) {
  AnnotationSink sink;
  EXPECT_EQ(GroupAccumulator().Finish(AggregateOp::kSum, 0, sink).kind, WindowResult::Kind::kNone);
}

TEST(AggregatorsTest, FoldsHistograms) {
  AnnotationSink sink;
  const Histogram h = Make({.count = 4, .sum = 6, .positive = {0, {4}}});
  for (const auto& [op, count] :
       {std::pair{AggregateOp::kSum, 8.0}, std::pair{AggregateOp::kAvg, 4.0}}) {
    GroupAccumulator group;
    group.Add(op, h, sink);
    group.Add(op, h, sink);
    const WindowResult result = group.Finish(op, 0, sink);
    ASSERT_EQ(result.kind, WindowResult::Kind::kHistogram);
    EXPECT_EQ(result.histogram->count, count);
  }
  GroupAccumulator count;
  count.Add(AggregateOp::kCount, h, sink);
  count.Add(AggregateOp::kCount, 1);
  EXPECT_EQ(count.Finish(AggregateOp::kCount, 0, sink).value, 2);
  EXPECT_TRUE(sink.empty());
}

TEST(AggregatorsTest, DropsAMixOfKindsInWhateverOrder) {
  const Histogram h = Make({.count = 4});
  for (const bool histogram_first : {true, false}) {
    AnnotationSink sink;
    GroupAccumulator group;
    if (histogram_first) group.Add(AggregateOp::kSum, h, sink);
    group.Add(AggregateOp::kSum, 1);
    if (!histogram_first) group.Add(AggregateOp::kSum, h, sink);
    EXPECT_EQ(group.Finish(AggregateOp::kSum, 0, sink).kind, WindowResult::Kind::kNone);
    EXPECT_EQ(sink.Take().at(0).kind, AnnotationKind::kMixedFloatsHistogramsInAggregation);
  }
}

TEST(AggregatorsTest, SomeOperatorsIgnoreHistograms) {
  for (const AggregateOp op : {AggregateOp::kMin, AggregateOp::kMax, AggregateOp::kStddev,
                               AggregateOp::kStdvar, AggregateOp::kQuantile}) {
    AnnotationSink sink;
    GroupAccumulator group;
    group.Add(op, Make({.count = 4}), sink);
    EXPECT_EQ(sink.Take().at(0).text, promql::AggregatorName(op));
    EXPECT_EQ(group.Finish(op, 0.5, sink).kind, WindowResult::Kind::kNone);
    group.Add(op, 5);
    EXPECT_EQ(group.Finish(op, 0.5, sink).kind, WindowResult::Kind::kFloat);
  }
}

}  // namespace
}  // namespace lockstep::engine
