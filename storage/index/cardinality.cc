#include "storage/index/cardinality.h"

#include <algorithm>

#include "model/tenant.h"

namespace lockstep {
namespace {

bool IsLarger(const NamedCount& a, const NamedCount& b) {
  return a.count != b.count ? a.count > b.count : a.name < b.name;
}

}  // namespace

void KeepLargest(std::vector<NamedCount>& rows, size_t limit) {
  const size_t kept = std::min(limit, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), rows.end(),
                    IsLarger);
  rows.resize(kept);
}

void CardinalityCounter::Add(const LabelSet& labels, uint64_t series_count) {
  for (const LabelView label : labels) {
    if (label.name == kTenantLabel) continue;
    Label& counted = labels_[label.name];
    counted.series_by_value[label.value] += series_count;
    counted.byte_count += label.value.size() * series_count;
  }
}

std::vector<NamedCount> CardinalityCounter::ValuesOf(std::string_view label, size_t limit) const {
  std::vector<NamedCount> rows;
  const auto found = labels_.find(label);
  if (found == labels_.end()) return rows;
  for (const auto& [value, count] : found->second.series_by_value) rows.push_back({value, count});
  KeepLargest(rows, limit);
  return rows;
}

void CardinalityCounter::ListLargest(size_t limit, CardinalityStats& stats) const {
  stats.series_by_job = ValuesOf("job", limit);
  stats.series_by_metric_name = ValuesOf(kMetricName, limit);
  for (const auto& [name, label] : labels_) {
    stats.values_by_label_name.push_back({name, label.series_by_value.size()});
    stats.bytes_by_label_name.push_back({name, label.byte_count});
    for (NamedCount& value : ValuesOf(name, limit)) {
      stats.series_by_label_pair.push_back({name + "=" + value.name, value.count});
    }
  }
  KeepLargest(stats.values_by_label_name, limit);
  KeepLargest(stats.bytes_by_label_name, limit);
  KeepLargest(stats.series_by_label_pair, limit);
}

}  // namespace lockstep
