// ClassicGroups: the series of a vector sorted into classic histograms and native ones.
#pragma once

#include <cstdint>
#include <vector>

#include "query/engine/evaluated.h"
#include "query/engine/kernels/classic_histogram.h"
#include "query/engine/query_context.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

inline constexpr std::string_view kBucketLabel = "le";

// Series that are alike but for their `le`: one classic histogram.
struct ClassicGroup {
  struct Bucket {
    double upper_bound = 0;
    uint32_t series = 0;  // index
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  LabelSet labels;  // with the name, without `le`
  std::vector<Bucket> buckets;
  uint32_t native = kNone;  // index of a series of the same labels that has native histograms
};

struct ClassicGroups {
  std::vector<ClassicGroup> groups;
  std::vector<uint32_t> natives;  // indices of series with histograms, but for those of a group
};

// Made once for all steps. Unreadable values of `le` are left out with a warning at `position`.
ClassicGroups GroupClassic(const std::vector<EvaluatedSeries>& series,
                           promql::PositionRange position, QueryContext& context);

// The group's buckets that have a value at `step`, into `buckets`, which is cleared first.
void CollectBuckets(const ClassicGroup& group, const std::vector<EvaluatedSeries>& series,
                    size_t step, std::vector<ClassicBucket>& buckets);

}  // namespace lockstep::engine
