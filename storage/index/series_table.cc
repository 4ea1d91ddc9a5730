#include "storage/index/series_table.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"

namespace lockstep {
namespace {

auto At(const std::vector<TargetSeries>& series, MetricId metric) {
  return std::lower_bound(
      series.begin(), series.end(), metric,
      [](const TargetSeries& one, MetricId wanted) { return one.metric < wanted; });
}

void Insert(std::vector<TargetSeries>& series, TargetSeries added) {
  // Grows by a quarter instead of doubling, because there are many of these and they are a large
  // part of the index.
  if (series.size() == series.capacity()) series.reserve(series.size() + series.size() / 4 + 1);
  if (series.empty() || series.back().metric < added.metric) {
    series.push_back(added);
    return;
  }
  const auto at = At(series, added.metric);
  LOCKSTEP_CHECK(at->metric != added.metric);
  series.insert(at, added);
}

// The item of `array`, created if missing.
template <typename Array>
auto& Get(Array& array, uint32_t number) {
  return array.Has(number) ? array[number] : array.Put(number, {});
}

}  // namespace

void SeriesTable::Add(SeriesId id, SeriesParts parts) {
  parts_.Put(id, parts);
  Insert(Get(of_target_, parts.target), {parts.metric, id});
  lockstep::Insert(Get(of_metric_, parts.metric), id);
}

void SeriesTable::Reserve(TargetId target, size_t count) {
  std::vector<TargetSeries>& series = Get(of_target_, target);
  series.reserve(series.size() + count);
}

SeriesTable::Emptied SeriesTable::Remove(std::span<const SeriesId> ids) {
  absl::flat_hash_map<TargetId, Postings> gone_by_target;  // metrics
  absl::flat_hash_map<MetricId, Postings> gone_by_metric;  // series
  for (const SeriesId id : ids) {
    if (!parts_.Has(id)) continue;
    const SeriesParts parts = parts_[id];
    gone_by_target[parts.target].push_back(parts.metric);
    gone_by_metric[parts.metric].push_back(id);
    parts_.Erase(id);
  }
  Emptied emptied;
  for (auto& [target, metrics] : gone_by_target) {
    std::sort(metrics.begin(), metrics.end());
    std::vector<TargetSeries>& series = of_target_[target];
    std::erase_if(series, [&gone = metrics](const TargetSeries& one) {
      return std::binary_search(gone.begin(), gone.end(), one.metric);
    });
    if (series.size() < series.capacity() / 2) series.shrink_to_fit();
    if (!series.empty()) continue;
    of_target_.Erase(target);
    emptied.targets.push_back(target);
  }
  for (auto& [metric, series] : gone_by_metric) {
    std::sort(series.begin(), series.end());
    Postings& left = of_metric_[metric];
    SubtractAndShrink(left, series);
    if (!left.empty()) continue;
    of_metric_.Erase(metric);
    emptied.metrics.push_back(metric);
  }
  std::sort(emptied.targets.begin(), emptied.targets.end());
  std::sort(emptied.metrics.begin(), emptied.metrics.end());
  return emptied;
}

std::optional<SeriesId> SeriesTable::Find(SeriesParts parts) const {
  if (!of_target_.Has(parts.target)) return std::nullopt;
  const std::vector<TargetSeries>& series = of_target_[parts.target];
  const auto at = At(series, parts.metric);
  if (at == series.end() || at->metric != parts.metric) return std::nullopt;
  return at->id;
}

std::span<const TargetSeries> SeriesTable::OfTarget(TargetId target) const {
  if (!of_target_.Has(target)) return {};
  return of_target_[target];
}

PostingsView SeriesTable::OfMetric(MetricId metric) const {
  if (!of_metric_.Has(metric)) return {};
  return of_metric_[metric];
}

}  // namespace lockstep
