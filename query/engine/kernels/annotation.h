// Annotations: the warnings and infos that an evaluation leaves beside its result.
//
// Kernels report them as codes with arguments; the evaluator, which knows the metric's name and the
// position in the query, renders the text with RenderAnnotation() and appends " (line:column)".
// Source: prometheus/prometheus, util/annotations/annotations.go; texts are the same to the letter.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::engine {

enum class AnnotationKind : uint8_t {
  // Warnings.                            what they use besides metric_name
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
  kPossibleNonCounterType,         // text: the value of `__type__`
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

// What had to be lifted to make the buckets of a classic histogram monotonic.
struct MonotonicityFix {
  double min_bound = 0;  // smallest and largest upper bound of a bucket that was lifted
  double max_bound = 0;
  double max_diff = 0;  // largest lift
  int64_t min_timestamp_ms = 0;
  int64_t max_timestamp_ms = 0;
  int64_t sample_count = 1;

  // Folds `other`, of the same series set and expression, into this one: annotations of one place
  // are shown once, with the extremes of all.
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

// Whether both surely render to the same text. A fix of monotonicity, which is folded, is like no other.
bool AreAlike(const Annotation& a, const Annotation& b);

// "PromQL warning: ..." or "PromQL info: ...", without a position. Kinds whose metric name is
// optional (bad `le`, classic and native mixed, histogram_quantile's and histogram_fraction's
// infos) leave it out when it is empty.
std::string RenderAnnotation(const Annotation& annotation);

// Collects what the kernels report. Kinds without arguments are kept once, so a kernel that runs
// for every step may report without cost. Not thread-safe.
class AnnotationSink {
 public:
  void Add(AnnotationKind kind);
  void Add(Annotation annotation);
  void AddForOperation(AnnotationKind kind, HistogramOperation operation);

  bool empty() const { return annotations_.empty(); }
  // Gives out what was collected since the last call. metric_name is empty in all of them.
  std::vector<Annotation> Take();

 private:
  std::bitset<96> seen_;  // one per kind and operation
  std::vector<Annotation> annotations_;
};

}  // namespace lockstep::engine
