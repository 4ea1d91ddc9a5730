#include "ingest/side_data/metadata_store.h"

#include <algorithm>

#include "model/labels.h"

namespace lockstep {
namespace {

// An estimate of containers and allocation headers per variant.
constexpr size_t kOverheadBytes = 160;

size_t SizeOf(const MetricMetadata& metadata) {
  return metadata.type.size() + metadata.help.size() + metadata.unit.size() + kOverheadBytes;
}

}  // namespace

bool IsUsable(const MetadataEntry& entry) {
  return !entry.metric.empty() && IsValidUtf8(entry.metric) && IsValidUtf8(entry.metadata.help) &&
         IsValidUtf8(entry.metadata.unit);
}

void MetadataStore::Put(const std::vector<MetadataEntry>& entries) {
  const MutexLock lock(mutex_);
  for (const MetadataEntry& entry : entries) PutOne(entry);
}

void MetadataStore::PutOne(const MetadataEntry& entry) {
  const auto found = metrics_.find(entry.metric);
  const bool known = found != metrics_.end();
  if (known && std::find(found->second.begin(), found->second.end(), entry.metadata) !=
                   found->second.end()) {
    return;
  }
  const size_t size = SizeOf(entry.metadata) + (known ? 0 : entry.metric.size());
  if (memory_.bytes() + size > max_bytes_ || !memory_.Add(size).ok()) return;
  std::vector<MetricMetadata>& variants = known ? found->second : metrics_[entry.metric];
  if (variants.size() == kMaxVariantsPerMetric) {
    memory_.Resize(memory_.bytes() - SizeOf(variants.front())).IgnoreError();
    variants.erase(variants.begin());
  }
  variants.push_back(entry.metadata);
  ++change_count_;
}

std::vector<MetadataStore::Metric> MetadataStore::List(const Filter& filter) const {
  const MutexLock lock(mutex_);
  const bool all = filter.metric.empty();
  std::vector<Metric> listed;
  for (auto at = all ? metrics_.begin() : metrics_.find(filter.metric); at != metrics_.end();
       ++at) {
    if (listed.size() == filter.max_metrics) break;
    const auto& variants = at->second;
    const size_t count = std::min(variants.size(), filter.max_variants);
    listed.push_back({at->first, {variants.begin(), variants.begin() + static_cast<long>(count)}});
    if (!all) break;
  }
  return listed;
}

size_t MetadataStore::metric_count() const {
  const MutexLock lock(mutex_);
  return metrics_.size();
}

uint64_t MetadataStore::change_count() const {
  const MutexLock lock(mutex_);
  return change_count_;
}

}  // namespace lockstep
