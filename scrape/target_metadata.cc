#include "scrape/target_metadata.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ingest/side_data/metric_type.h"

namespace lockstep::scrape {
namespace {

using exposition::EntryKind;

std::string& FieldOf(MetricMetadata& metadata, EntryKind kind) {
  if (kind == EntryKind::kType) return metadata.type;
  return kind == EntryKind::kHelp ? metadata.help : metadata.unit;
}

}  // namespace

uint64_t TargetMetadata::Kept::ByteCount(std::string_view metric) const {
  return sizeof(std::pair<std::string, Kept>) + metric.size() + metadata.type.size() +
         metadata.help.size() + metadata.unit.size();
}

void TargetMetadata::Put(const exposition::TextEntry& entry) {
  const MutexLock lock(mutex_);
  auto at = metrics_.find(entry.metric);
  if (at == metrics_.end()) {
    if (!memory_.Add(Kept().ByteCount(entry.metric)).ok()) return;
    at = metrics_.emplace(exposition::Unescape(entry.metric), Kept()).first;
    at->second.metadata.type = MetricTypeName(0);
  }
  Kept& kept = at->second;
  kept.is_seen = true;
  std::string& field = FieldOf(kept.metadata, entry.kind);
  if (field == entry.text) return;
  std::string text = exposition::Unescape(entry.text);
  if (field == text) return;
  if (!memory_.Resize(memory_.bytes() - field.size() + text.size()).ok()) return;
  field = std::move(text);
  kept.is_changed = true;
}

std::vector<MetadataEntry> TargetMetadata::TakeChanges() {
  const MutexLock lock(mutex_);
  uint64_t byte_count = 0;
  absl::erase_if(metrics_, [&byte_count](const auto& item) {
    if (item.second.is_seen) byte_count += item.second.ByteCount(item.first);
    return !item.second.is_seen;
  });
  memory_.Resize(byte_count).IgnoreError();
  std::vector<MetadataEntry> changes;
  for (auto& [metric, kept] : metrics_) {
    if (kept.is_changed) {
      MetadataEntry entry{metric, kept.metadata};
      if (IsUsable(entry)) changes.push_back(std::move(entry));
    }
    kept.is_changed = false;
    kept.is_seen = false;
  }
  return changes;
}

std::vector<MetadataEntry> TargetMetadata::List(std::string_view metric) const {
  std::vector<MetadataEntry> listed;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, kept] : metrics_) {
      if (metric.empty() || name == metric) listed.push_back({name, kept.metadata});
    }
  }
  std::sort(listed.begin(), listed.end(),
            [](const MetadataEntry& a, const MetadataEntry& b) { return a.metric < b.metric; });
  return listed;
}

}  // namespace lockstep::scrape
