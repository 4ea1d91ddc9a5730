#include "answers/derived/annotation_series.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "answers/derived/derived_labels.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::answers {
namespace {

using annotations::AnnotationPtr;

constexpr int64_t kIntervalMs = 15'000;
// Longer times have samples farther apart than kIntervalMs.
constexpr int64_t kMostSamples = 20'000;

LabelSet LabelsOf(const annotations::Annotation& annotation) {
  std::string tags;
  for (const std::string& tag : annotation.tags) {
    if (!tags.empty()) tags += ',';
    tags += tag;
  }
  LabelSetBuilder labels(annotation.labels);
  labels.Set(kMetricName, "lockstep_annotation");
  labels.Set("job", annotation.job);
  labels.Set("kind", annotation.kind);
  labels.Set("text", annotation.text);
  labels.Set("tags", tags);
  return labels.Build();
}

// Joins times that overlap.
std::vector<TimeRange> Joined(std::vector<TimeRange> times) {
  std::ranges::sort(times, {}, &TimeRange::min_ms);
  std::vector<TimeRange> joined;
  for (const TimeRange& time : times) {
    if (!joined.empty() && time.min_ms <= joined.back().max_ms) {
      joined.back().max_ms = std::max(joined.back().max_ms, time.max_ms);
    } else {
      joined.push_back(time);
    }
  }
  return joined;
}

// What the annotations with the same labels make one series of.
struct AnnotationSeries {
  LabelSet labels;
  std::vector<TimeRange> times;  // ascending, disjoint, inside the selection
  int64_t interval_ms = 0;       // between samples
};

// Precondition: all of them overlap the range.
std::vector<AnnotationSeries> Grouped(std::span<const AnnotationPtr> annotations,
                                      const Selection& selection) {
  const TimeRange& range = selection.range;
  std::map<LabelSet, std::vector<TimeRange>> times_by_labels;
  for (const AnnotationPtr& annotation : annotations) {
    LabelSet labels = LabelsOf(*annotation);
    if (!Matches(labels, selection.matchers)) continue;
    const TimeRange time = TimeOf(*annotation, range.max_ms);
    times_by_labels[std::move(labels)].push_back(
        {std::max(time.min_ms, range.min_ms), std::min(time.max_ms, range.max_ms)});
  }
  std::vector<AnnotationSeries> series;
  for (auto& [labels, times] : times_by_labels) {
    series.push_back({labels, Joined(std::move(times)), kIntervalMs});
    int64_t length_ms = 0;
    for (const TimeRange& time : series.back().times) length_ms += time.max_ms - time.min_ms;
    series.back().interval_ms = std::max(kIntervalMs, length_ms / kMostSamples);
  }
  return series;
}

// Leaves only the end of the last time.
void KeepEnd(AnnotationSeries& series) {
  const int64_t end_ms = series.times.back().max_ms;
  series.times = {{end_ms, end_ms}};
}

// The number of samples of SamplesOf(), or a few more.
int64_t SampleCount(const AnnotationSeries& series) {
  int64_t count = 0;
  for (const TimeRange& time : series.times) {
    // Besides those at regular intervals, one at the end and a marker.
    count += (time.max_ms - time.min_ms) / series.interval_ms + 3;
  }
  return count;
}

DerivedSeries SamplesOf(AnnotationSeries series) {
  DerivedSeries made{std::move(series.labels), {}};
  for (size_t i = 0; i < series.times.size(); ++i) {
    const TimeRange& time = series.times[i];
    for (int64_t at_ms = time.min_ms; at_ms < time.max_ms; at_ms += series.interval_ms) {
      made.samples.Append(at_ms, 1);
    }
    made.samples.Append(time.max_ms, 1);
    const int64_t marker_ms = time.max_ms + kIntervalMs;
    const bool is_free = i + 1 == series.times.size() || marker_ms < series.times[i + 1].min_ms;
    if (is_free) made.samples.Append(marker_ms, StaleNan());
  }
  return made;
}

}  // namespace

absl::Status AppendAnnotations(const annotations::AnnotationStore& annotations,
                               const Selection& selection, QueryBudget& budget,
                               std::vector<DerivedSeries>& series) {
  annotations::AnnotationFilter filter;
  filter.time = selection.range;
  const auto found = annotations.List(filter, selection.range.max_ms);
  const bool is_newest_alone =
      selection.needed == SamplesNeeded::kNewest && selection.steps.step_ms == 0;
  for (AnnotationSeries& one : Grouped(found.annotations, selection)) {
    if (is_newest_alone) KeepEnd(one);
    LOCKSTEP_RETURN_IF_ERROR(budget.Charge(SampleCount(one)));
    series.push_back(SamplesOf(std::move(one)));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::answers
