#include "query/engine/context/annotation_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Annotation InvalidQuantile(double q) {
  Annotation annotation;
  annotation.kind = AnnotationKind::kInvalidQuantile;
  annotation.number = q;
  return annotation;
}

Annotation Fix(double bound, int64_t time_ms) {
  Annotation annotation;
  annotation.kind = AnnotationKind::kForcedMonotonicity;
  annotation.metric_name = "m";
  annotation.monotonicity = {bound, bound, 0.5, time_ms, time_ms, 1};
  return annotation;
}

TEST(AnnotationSet, KeepsEveryTextOnceInOrderWithItsLastPlace) {
  AnnotationSet set("a\nbc");
  set.Add(InvalidQuantile(2), {0, 1});
  set.Add(InvalidQuantile(3), {0, 1});
  set.Add(InvalidQuantile(2), {3, 4});
  const Annotations rendered = set.Render();
  EXPECT_THAT(rendered.warnings,
              ElementsAre("PromQL warning: quantile value should be between 0 and 1, got 2 (2:2)",
                          "PromQL warning: quantile value should be between 0 and 1, got 3 (1:1)"));
  EXPECT_THAT(rendered.infos, IsEmpty());
}

TEST(AnnotationSet, FoldsWhatWasFixedAtOnePlace) {
  AnnotationSet set("q");
  set.Add(Fix(4, 2000), {0, 1});
  set.Add(Fix(1, 1000), {0, 1});
  EXPECT_THAT(
      set.Render().infos,
      ElementsAre(
          "PromQL info: input to histogram_quantile needed to be fixed for monotonicity "
          "(see https://prometheus.io/docs/prometheus/latest/querying/functions/"
          "#histogram_quantile) for metric name \"m\", from buckets 1 to 4, with a max diff "
          "of 0.5, over 2 samples from 1970-01-01T00:00:01Z to 1970-01-01T00:00:02Z (1:1)"));
}

}  // namespace
}  // namespace lockstep::engine
