#include "ingest/logs/record/key_cache.h"

#include <algorithm>
#include <utility>

#include "ingest/logs/record/metric_catalogue.h"

namespace lockstep::logs {
namespace {

MetricKey Describe(std::span<const MetricSource> sources, std::string_view written) {
  MetricKey key = DescribeMetric(sources, written);
  if (key.is_known) return key;
  if (const auto meaning = MeaningOfKey(written)) {
    key.role = meaning->role;
    key.step_precedence = meaning->step_precedence;
    if (meaning->role == KeyRole::kLabel) key.name = meaning->label;
  }
  return key;
}

}  // namespace

void KeyCache::SetQuoted(Entry& entry) {
  if (entry.written.find_first_of("\\\"") != entry.written.npos) return;
  entry.quoted = entry.written + '"';
  const size_t last_bytes = (entry.quoted.size() - 1) % kWordBytes + 1;
  std::fill_n(entry.last_mask.begin(), last_bytes, '\xff');
  entry.quoted.append(kWordBytes - last_bytes, '\0');
}

const MetricKey* KeyCache::FindElsewhere(std::string_view written, const MetricKey* parent) {
  path_.clear();
  if (parent != nullptr) {
    path_.append(parent->written);
    path_.push_back('.');
  }
  path_.append(written);
  const auto found = by_path_.find(std::string_view(path_));
  const Entry* entry = found != by_path_.end() ? found->second : Add(written, parent, path_);
  if (entry == nullptr) return nullptr;
  if (last_ != nullptr) last_->next = entry;
  last_ = entry;
  return &entry->key;
}

const KeyCache::Entry* KeyCache::Add(std::string_view written, const MetricKey* parent,
                                     std::string_view path) {
  if (path.empty() || path.size() > kMaxKeyBytes || entries_.size() >= kMaxKeys) return nullptr;
  auto entry = std::make_unique<Entry>();
  entry->written = written;
  entry->parent = parent;
  SetQuoted(*entry);
  entry->key = Describe(sources_, path);
  const Entry* added = entry.get();
  entries_.push_back(std::move(entry));
  by_path_.emplace(std::string(path), added);
  return added;
}

}  // namespace lockstep::logs
