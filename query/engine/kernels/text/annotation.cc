#include "query/engine/kernels/text/annotation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "base/utc_text.h"

namespace lockstep::engine {
namespace {

constexpr std::string_view kMonotonicityText =
    "input to histogram_quantile needed to be fixed for monotonicity (see "
    "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)";

std::string_view Name(HistogramOperation operation) {
  switch (operation) {
    case HistogramOperation::kAddition:
      return "addition";
    case HistogramOperation::kSubtraction:
      return "subtraction";
    case HistogramOperation::kAggregation:
      return "aggregation";
  }
  return "";
}

// Go's %q for text that is valid UTF-8: double quotes, with a backslash before quotes, backslashes
// and control characters.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += absl::StrFormat("\\x%02x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

std::string WithOptionalMetric(std::string_view text, const Annotation& annotation) {
  std::string out(text);
  if (!annotation.metric_name.empty()) {
    out += " for metric name " + Quoted(annotation.metric_name);
  }
  return out;
}

std::string Utc(int64_t timestamp_ms) { return UtcText("%Y-%m-%dT%H:%M:%SZ", timestamp_ms); }

std::string MonotonicityText(const Annotation& annotation) {
  const MonotonicityFix& fix = annotation.monotonicity;
  return absl::StrFormat(
      "%s, from buckets %s to %s, with a max diff of %.2g, over %d samples from %s to %s",
      WithOptionalMetric(kMonotonicityText, annotation), FormatShortValue(fix.min_bound),
      FormatShortValue(fix.max_bound), fix.max_diff, fix.sample_count, Utc(fix.min_timestamp_ms),
      Utc(fix.max_timestamp_ms));
}

std::string Text(const Annotation& a) {
  switch (a.kind) {
    case AnnotationKind::kInvalidQuantile:
      return "quantile value should be between 0 and 1, got " + FormatShortValue(a.number);
    case AnnotationKind::kInvalidRatio:
      return "ratio value should be between -1 and 1, got " + FormatShortValue(a.number) +
             ", capping to " + FormatShortValue(a.capped);
    case AnnotationKind::kBadBucketLabel:
      return WithOptionalMetric(
          "bucket label \"le\" is missing or has a malformed value of " + Quoted(a.text), a);
    case AnnotationKind::kMixedFloatsHistograms:
      return "encountered a mix of histograms and floats for metric name " + Quoted(a.metric_name);
    case AnnotationKind::kMixedFloatsHistogramsInAggregation:
      return "encountered a mix of histograms and floats for aggregation";
    case AnnotationKind::kMixedClassicNativeHistograms:
      return WithOptionalMetric("vector contains a mix of classic and native histograms", a);
    case AnnotationKind::kNativeHistogramNotCounter:
      return "this native histogram metric is not a counter: " + Quoted(a.metric_name);
    case AnnotationKind::kNativeHistogramNotGauge:
      return "this native histogram metric is not a gauge: " + Quoted(a.metric_name);
    case AnnotationKind::kMixedExponentialCustomHistograms:
      return "vector contains a mix of histograms with exponential and custom buckets schemas for "
             "metric name " +
             Quoted(a.metric_name);
    case AnnotationKind::kIncompatibleBucketLayout:
      return "incompatible bucket layout encountered for binary operator " + a.text;
    case AnnotationKind::kSortInRangeQuery:
      return "sort is ineffective for range queries since results are always ordered by labels";
    case AnnotationKind::kConflictingCounterResets:
      return absl::StrFormat("conflicting counter resets during histogram %s", Name(a.operation));
    case AnnotationKind::kOverlappingStartTime:
      return "sample has start time that overlaps with previous sample timestamp for metric " +
             Quoted(a.metric_name);
    case AnnotationKind::kPossibleNonCounter:
      return "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: " +
             Quoted(a.metric_name);
    case AnnotationKind::kForcedMonotonicity:
      return MonotonicityText(a);
    case AnnotationKind::kIncompatibleTypes:
      return absl::StrFormat(
          "incompatible sample types encountered for binary operator %s: %s %s %s", Quoted(a.text),
          a.left, a.text, a.right);
    case AnnotationKind::kHistogramIgnoredInAggregation:
      return "ignored histogram in " + a.text + " aggregation";
    case AnnotationKind::kHistogramIgnoredInMixedRange:
      return "ignored histograms in a range containing both floats and histograms for metric "
             "name " +
             Quoted(a.metric_name);
    case AnnotationKind::kQuantileNanResult:
      return WithOptionalMetric("input to histogram_quantile has NaN observations, result is NaN",
                                a);
    case AnnotationKind::kQuantileNanSkew:
      return WithOptionalMetric(
          "input to histogram_quantile has NaN observations, result is skewed higher", a);
    case AnnotationKind::kFractionNanObservations:
      return WithOptionalMetric(
          "input to histogram_fraction has NaN observations, which are excluded from all fractions",
          a);
    case AnnotationKind::kMismatchedCustomBuckets:
      return absl::StrFormat("mismatched custom buckets were reconciled during %s",
                             Name(a.operation));
  }
  return "";
}

}  // namespace

bool IsWarning(AnnotationKind kind) { return kind < AnnotationKind::kPossibleNonCounter; }

void MonotonicityFix::Merge(const MonotonicityFix& other) {
  min_bound = std::min(min_bound, other.min_bound);
  max_bound = std::max(max_bound, other.max_bound);
  max_diff = std::max(max_diff, other.max_diff);
  min_timestamp_ms = std::min(min_timestamp_ms, other.min_timestamp_ms);
  max_timestamp_ms = std::max(max_timestamp_ms, other.max_timestamp_ms);
  sample_count += other.sample_count;
}

bool AreAlike(const Annotation& a, const Annotation& b) {
  return a.kind == b.kind && a.kind != AnnotationKind::kForcedMonotonicity &&
         a.metric_name == b.metric_name && a.text == b.text && a.left == b.left &&
         a.right == b.right && a.number == b.number && a.capped == b.capped &&
         a.operation == b.operation;
}

std::string RenderAnnotation(const Annotation& annotation) {
  return (IsWarning(annotation.kind) ? "PromQL warning: " : "PromQL info: ") + Text(annotation);
}

void AnnotationSink::Add(AnnotationKind kind) {
  AddForOperation(kind, HistogramOperation::kAddition);
}

void AnnotationSink::Add(Annotation annotation) { annotations_.push_back(std::move(annotation)); }

void AnnotationSink::AddForOperation(AnnotationKind kind, HistogramOperation operation) {
  const auto place = static_cast<unsigned>(kind) * 3 + static_cast<unsigned>(operation);
  if (seen_.test(place)) return;
  seen_.set(place);
  Annotation annotation;
  annotation.kind = kind;
  annotation.operation = operation;
  annotations_.push_back(std::move(annotation));
}

std::vector<Annotation> AnnotationSink::Take() {
  seen_.reset();
  return std::exchange(annotations_, {});
}

}  // namespace lockstep::engine
