// Annotations: the warnings and infos of an evaluation, in addition to its result.
//
// Kernels report them as codes with arguments; the evaluator, which knows the metric name and the
// position in the query, renders the text with RenderAnnotation() and appends " (line:column)".
// Source: prometheus/prometheus, util/annotations/annotations.go; texts are identical.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::engine {

enum class AnnotationKind : uint8_t {
  // Warnings.                            fields used in addition to metric_name
  kInvalidQuantile,  // number; no metric name
  kInvalidRatio,     // number, capped; no metric name
  kBadBucketLabel,   // text: the value of `le`
  kMixedFloatsHistograms,
  kMixedFloatsHistogramsInAggregation,  // no metric name
  kMixedClassicNativeHistograms,
  kNativeHistogramNotCounter,
  kNativeHistogramNotGauge,
  kMixedExponentialCustomHistograms,
  kIncompatibleBucketLayout,  // text: the binary operator; no metric name
  kSortInRangeQuery,          // no metric name
  kConflictingCounterResets,  // operation; no metric name
  kOverlappingStartTime,
  // Infos.
  kPossibleNonCounter,
  kForcedMonotonicity,             // monotonicity
  kIncompatibleTypes,              // left, text: the binary operator, right; no metric name
  kHistogramIgnoredInAggregation,  // text: the aggregation; no metric name
  kHistogramIgnoredInMixedRange,
  kQuantileNanResult,
  kQuantileNanSkew,
  kFractionNanObservations,
  kMismatchedCustomBuckets,  // operation; no metric name
};

bool IsWarning(AnnotationKind kind);

enum class HistogramOperation : uint8_t { kAddition, kSubtraction, kAggregation };

// The changes that made the buckets of a classic histogram monotonic.
struct MonotonicityFix {
  double min_bound = 0;  // smallest and largest upper bound of a raised bucket
  double max_bound = 0;
  double max_diff = 0;  // largest increase
  int64_t min_timestamp_ms = 0;
  int64_t max_timestamp_ms = 0;
  int64_t sample_count = 1;

  // Merges `other`, of the same series set and expression: annotations at one position are shown
  // once, with the extremes of all.
  void Merge(const MonotonicityFix& other);
};

struct Annotation {
  AnnotationKind kind = AnnotationKind::kInvalidQuantile;
  std::string metric_name;
  std::string text;
  std::string left;  // "float" or "histogram"
  std::string right;
  double number = 0;
  double capped = 0;
  HistogramOperation operation = HistogramOperation::kAggregation;
  MonotonicityFix monotonicity;
};

// Whether both certainly render to the same text. Never true for monotonicity fixes, which are
// merged.
bool AreAlike(const Annotation& a, const Annotation& b);

// "PromQL warning: ..." or "PromQL info: ...", without a position. Omits an empty metric name for
// the kinds in which it is optional (bad `le`, mixed classic and native histograms, infos of
// histogram_quantile and histogram_fraction).
std::string RenderAnnotation(const Annotation& annotation);

// Collects annotations of kernels. Keeps kinds without arguments once, so a kernel may cheaply
// report at every step. Not thread-safe.
class AnnotationSink {
 public:
  void Add(AnnotationKind kind);
  void Add(Annotation annotation);
  void AddForOperation(AnnotationKind kind, HistogramOperation operation);

  bool empty() const { return annotations_.empty(); }
  // Returns what was collected since the last call. metric_name is empty in all of them.
  std::vector<Annotation> Take();

 private:
  std::bitset<96> seen_;  // one per kind and operation
  std::vector<Annotation> annotations_;
};

}  // namespace lockstep::engine
