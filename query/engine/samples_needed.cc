#include "query/engine/samples_needed.h"

namespace lockstep::engine {
namespace {

// Whether every range begins and ends between two buckets.
bool AreWholeBuckets(const RangeWindows& windows) {
  const auto is_whole = [](int64_t ms) { return ms % kThinningBucketMs == 0; };
  return windows.edges == promql::RangeEdges::kPlain && is_whole(windows.range_ms) &&
         is_whole(windows.ends.start_ms) &&
         (windows.ends.count < 2 || is_whole(windows.ends.step_ms));
}

}  // namespace

SamplesNeeded SamplesNeededBy(promql::FunctionId id, const RangeWindows& windows) {
  using promql::FunctionId;
  if (!AreWholeBuckets(windows)) return SamplesNeeded::kAll;
  switch (id) {
    case FunctionId::kCountOverTime:
    case FunctionId::kPresentOverTime:
      return SamplesNeeded::kCount;
    case FunctionId::kMinOverTime:
      return SamplesNeeded::kLowest;
    case FunctionId::kMaxOverTime:
      return SamplesNeeded::kHighest;
    case FunctionId::kFirstOverTime:
    case FunctionId::kTsOfFirstOverTime:
      return SamplesNeeded::kFirst;
    case FunctionId::kLastOverTime:
    case FunctionId::kTsOfLastOverTime:
      return SamplesNeeded::kLast;
    case FunctionId::kDelta:
    case FunctionId::kIncrease:
    case FunctionId::kRate:
    case FunctionId::kResets:
      return SamplesNeeded::kEnds;
    default:
      return SamplesNeeded::kAll;
  }
}

}  // namespace lockstep::engine
