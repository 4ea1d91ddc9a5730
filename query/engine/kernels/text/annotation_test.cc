#include "query/engine/kernels/text/annotation.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace lockstep::engine {
namespace {

Annotation Of(AnnotationKind kind, const std::function<void(Annotation&)>& set = {}) {
  Annotation annotation;
  annotation.kind = kind;
  annotation.metric_name = "m";
  if (set) set(annotation);
  return annotation;
}

// The texts are those of Prometheus.
TEST(AnnotationTest, RendersPrometheusTexts) {
  const struct {
    Annotation annotation;
    const char* text;
  } rows[] = {
      {Of(AnnotationKind::kInvalidQuantile, [](Annotation& a) { a.number = 1.5; }),
       "PromQL warning: quantile value should be between 0 and 1, got 1.5"},
      {Of(AnnotationKind::kInvalidQuantile, [](Annotation& a) { a.number = std::nan(""); }),
       "PromQL warning: quantile value should be between 0 and 1, got NaN"},
      {Of(AnnotationKind::kInvalidRatio,
          [](Annotation& a) {
            a.number = -1.1;
            a.capped = -1;
          }),
       "PromQL warning: ratio value should be between -1 and 1, got -1.1, capping to -1"},
      {Of(AnnotationKind::kBadBucketLabel, [](Annotation& a) { a.text = "Hello \"World\""; }),
       "PromQL warning: bucket label \"le\" is missing or has a malformed value of "
       "\"Hello \\\"World\\\"\" for metric name \"m\""},
      {Of(AnnotationKind::kBadBucketLabel, [](Annotation& a) { a.metric_name.clear(); }),
       "PromQL warning: bucket label \"le\" is missing or has a malformed value of \"\""},
      {Of(AnnotationKind::kMixedFloatsHistograms),
       "PromQL warning: encountered a mix of histograms and floats for metric name \"m\""},
      {Of(AnnotationKind::kConflictingCounterResets,
          [](Annotation& a) { a.operation = HistogramOperation::kAggregation; }),
       "PromQL warning: conflicting counter resets during histogram aggregation"},
      {Of(AnnotationKind::kMismatchedCustomBuckets,
          [](Annotation& a) { a.operation = HistogramOperation::kSubtraction; }),
       "PromQL info: mismatched custom buckets were reconciled during subtraction"},
      {Of(AnnotationKind::kIncompatibleTypes,
          [](Annotation& a) {
            a.left = "histogram";
            a.text = "^";
            a.right = "float";
          }),
       "PromQL info: incompatible sample types encountered for binary operator \"^\": histogram ^ "
       "float"},
      {Of(AnnotationKind::kHistogramIgnoredInAggregation, [](Annotation& a) { a.text = "stddev"; }),
       "PromQL info: ignored histogram in stddev aggregation"},
      {Of(AnnotationKind::kForcedMonotonicity,
          [](Annotation& a) {
            a.monotonicity = {.min_bound = 0.1,
                              .max_bound = INFINITY,
                              .max_diff = 1234,
                              .min_timestamp_ms = 0,
                              .max_timestamp_ms = 3'600'000,
                              .sample_count = 3};
          }),
       "PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see "
       "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile) for "
       "metric name \"m\", from buckets 0.1 to +Inf, with a max diff of 1.2e+03, over 3 samples "
       "from 1970-01-01T00:00:00Z to 1970-01-01T01:00:00Z"},
  };
  for (const auto& row : rows) EXPECT_EQ(RenderAnnotation(row.annotation), row.text);
}

TEST(AnnotationTest, SinkKeepsEachKindAndOperationOnce) {
  AnnotationSink sink;
  EXPECT_TRUE(sink.empty());
  for (int i = 0; i < 3; ++i) {
    sink.Add(AnnotationKind::kMixedFloatsHistograms);
    sink.AddForOperation(AnnotationKind::kMismatchedCustomBuckets, HistogramOperation::kAddition);
    sink.AddForOperation(AnnotationKind::kMismatchedCustomBuckets,
                         HistogramOperation::kSubtraction);
  }
  EXPECT_EQ(sink.Take().size(), 3u);
  EXPECT_TRUE(sink.empty());
  sink.Add(AnnotationKind::kMixedFloatsHistograms);
  EXPECT_EQ(sink.Take().size(), 1u);
}

TEST(AnnotationTest, WhatIsAlikeRendersAlike) {
  Annotation one;
  one.kind = AnnotationKind::kPossibleNonCounter;
  one.metric_name = "a";
  EXPECT_TRUE(AreAlike(one, one));
  const auto with = [&one](auto change) {
    Annotation other = one;
    change(other);
    return other;
  };
  EXPECT_FALSE(AreAlike(one, with([](Annotation& a) { a.metric_name = "b"; })));
  EXPECT_FALSE(AreAlike(one, with([](Annotation& a) { a.text = "b"; })));
  EXPECT_FALSE(AreAlike(one, with([](Annotation& a) { a.left = "b"; })));
  EXPECT_FALSE(AreAlike(one, with([](Annotation& a) { a.right = "b"; })));
  EXPECT_FALSE(AreAlike(one, with([](Annotation& a) { a.number = 1; })));
  EXPECT_FALSE(AreAlike(one, with([](Annotation& a) { a.capped = 1; })));
  EXPECT_FALSE(
      AreAlike(one, with([](Annotation& a) { a.operation = HistogramOperation::kAddition; })));
  EXPECT_FALSE(
      AreAlike(one, with([](Annotation& a) { a.kind = AnnotationKind::kInvalidQuantile; })));
  const Annotation fix = with([](Annotation& a) { a.kind = AnnotationKind::kForcedMonotonicity; });
  EXPECT_FALSE(AreAlike(fix, fix));
}

TEST(AnnotationTest, FixesMergeToTheirExtremes) {
  MonotonicityFix fix{.min_bound = 1,
                      .max_bound = 2,
                      .max_diff = 5,
                      .min_timestamp_ms = 10,
                      .max_timestamp_ms = 10};
  fix.Merge({.min_bound = 0.5,
             .max_bound = 1,
             .max_diff = 7,
             .min_timestamp_ms = 20,
             .max_timestamp_ms = 20});
  EXPECT_EQ(fix.min_bound, 0.5);
  EXPECT_EQ(fix.max_bound, 2);
  EXPECT_EQ(fix.max_diff, 7);
  EXPECT_EQ(fix.min_timestamp_ms, 10);
  EXPECT_EQ(fix.max_timestamp_ms, 20);
  EXPECT_EQ(fix.sample_count, 2);
}

}  // namespace
}  // namespace lockstep::engine
