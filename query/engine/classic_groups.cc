#include "query/engine/classic_groups.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace lockstep::engine {
namespace {

bool HasFloats(const Column& column) {
  if (!column.has_histograms()) return true;
  bool found = false;
  column.ForEachPresent([&](size_t step) { found = found || column.has_float(step); });
  return found;
}

void WarnOfBucketLabel(const LabelSet& labels, promql::PositionRange position,
                       QueryContext& context) {
  Annotation annotation;
  annotation.kind = AnnotationKind::kBadBucketLabel;
  annotation.metric_name = labels.metric_name();
  annotation.text = labels.Get(kBucketLabel);
  context.annotations.Add(std::move(annotation), position);
}

}  // namespace

ClassicGroups GroupClassic(const std::vector<EvaluatedSeries>& series,
                           promql::PositionRange position, QueryContext& context) {
  ClassicGroups made;
  absl::flat_hash_map<LabelSet, size_t> index;
  for (uint32_t i = 0; i < series.size(); ++i) {
    if (!HasFloats(series[i].column)) continue;
    const std::optional<double> bound = ParseBucketBound(series[i].labels.Get(kBucketLabel));
    if (!bound.has_value()) {
      WarnOfBucketLabel(series[i].labels, position, context);
      continue;
    }
    LabelSet labels = series[i].labels.Drop({std::string(kBucketLabel)});
    const auto [found, added] = index.try_emplace(labels, made.groups.size());
    if (added) made.groups.push_back({std::move(labels), {}, ClassicGroup::kNone});
    made.groups[found->second].buckets.push_back({*bound, i});
  }
  for (uint32_t i = 0; i < series.size(); ++i) {
    if (!series[i].column.has_histograms()) continue;
    const auto found = index.find(series[i].labels);
    if (found != index.end()) {
      made.groups[found->second].native = i;
    } else {
      made.natives.push_back(i);
    }
  }
  return made;
}

void CollectBuckets(const ClassicGroup& group, const std::vector<EvaluatedSeries>& series,
                    size_t step, std::vector<ClassicBucket>& buckets) {
  buckets.clear();
  for (const ClassicGroup::Bucket& bucket : group.buckets) {
    const Column& column = series[bucket.series].column;
    if (column.has_float(step)) buckets.push_back({bucket.upper_bound, column.value(step)});
  }
}

}  // namespace lockstep::engine
