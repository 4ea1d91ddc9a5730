#include "ingest/gateway/push_groups.h"

#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace lockstep::gateway {
namespace {

// Its labels here and in the pending change, plus the table's overhead.
uint64_t BytesOf(const LabelSet& series) { return 2 * series.bytes().size() + 96; }

SeriesWrite StaleMarker(const LabelSet& series, bool is_histogram, int64_t time_ms) {
  SeriesWrite marker{series, {}, {}};
  if (is_histogram) {
    auto histogram = std::make_shared<Histogram>();
    histogram->sum = StaleNan();
    marker.histograms.push_back({time_ms, std::move(histogram)});
  } else {
    marker.samples.push_back({time_ms, StaleNan()});
  }
  return marker;
}

// The series and metric names of a push, to find those that it no longer has.
struct Pushed {
  explicit Pushed(const std::vector<SeriesWrite>& pushed) {
    for (const SeriesWrite& one : pushed) {
      series.insert(one.labels.bytes());
      names.insert(one.labels.metric_name());
    }
  }
  // Whether it ends a series that the group had.
  bool Ends(const LabelSet& had, PushKind kind) const {
    if (kind == PushKind::kDelete) return true;
    if (series.contains(had.bytes())) return false;
    return kind == PushKind::kReplace || names.contains(had.metric_name());
  }

  absl::flat_hash_set<std::string_view> series;
  absl::flat_hash_set<std::string_view> names;
};

}  // namespace

PushChange PushGroups::Begin(const LabelSet& labels, PushKind kind, int64_t time_ms,
                             DecodedWrite& write) {
  PushChange change{labels, kind, {}, {}};
  const MutexLock lock(mutex_);
  if (kind == PushKind::kDelete && !by_labels_.contains(labels)) return change;
  Group& group = Touch(labels);
  std::vector<SeriesWrite> markers;
  {
    const Pushed pushed(write.request.series);
    for (const auto& [series, is_histogram] : group.series) {
      if (!pushed.Ends(series, kind)) continue;
      if (!write.memory.Add(BytesOf(series) + sizeof(SeriesWrite))) return change;
      markers.push_back(StaleMarker(series, is_histogram, time_ms));
      change.ended.push_back(series);
    }
  }
  for (const SeriesWrite& series : write.request.series) {
    if (group.series.contains(series.labels)) continue;
    if (!Note(group, series)) break;
    change.added.push_back(series.labels);
  }
  write.series_count += markers.size();
  for (SeriesWrite& marker : markers) {
    ++(marker.histograms.empty() ? write.sample_count : write.histogram_count);
    write.request.series.push_back(std::move(marker));
  }
  return change;
}

void PushGroups::End(const PushChange& change, bool was_stored) {
  const MutexLock lock(mutex_);
  const auto found = by_labels_.find(change.group);
  if (found == by_labels_.end()) return;
  Group& group = *found->second;
  // Series that were not stored may be pushed again.
  for (const LabelSet& series : was_stored ? change.ended : change.added) {
    if (group.series.erase(series) == 0) continue;
    --series_count_;
    Release(group, BytesOf(series));
  }
  if (change.kind == PushKind::kDelete && was_stored && group.series.empty()) {
    Forget(found->second);
  }
}

double PushGroups::failure_seconds(const LabelSet& group) const {
  const MutexLock lock(mutex_);
  const auto found = by_labels_.find(group);
  return found == by_labels_.end() ? 0 : found->second->failure_seconds;
}

void PushGroups::SetFailure(const LabelSet& group, double seconds) {
  const MutexLock lock(mutex_);
  Touch(group).failure_seconds = seconds;
}

size_t PushGroups::size() const {
  const MutexLock lock(mutex_);
  return groups_.size();
}

PushGroups::Group& PushGroups::Touch(const LabelSet& labels) {
  if (const auto found = by_labels_.find(labels); found != by_labels_.end()) {
    groups_.splice(groups_.begin(), groups_, found->second);
    return groups_.front();
  }
  while (groups_.size() >= max_groups_) Forget(std::prev(groups_.end()));
  groups_.emplace_front().labels = labels;
  by_labels_.emplace(labels, groups_.begin());
  // Even without room, an almost empty group is kept.
  Charge(groups_.front(), sizeof(Group) + BytesOf(labels));
  return groups_.front();
}

bool PushGroups::Note(Group& group, const SeriesWrite& series) {
  while (series_count_ >= max_series_) {
    if (&groups_.back() == &group) return false;
    Forget(std::prev(groups_.end()));
  }
  if (!Charge(group, BytesOf(series.labels))) return false;
  group.series.emplace(series.labels, !series.histograms.empty());
  ++series_count_;
  return true;
}

bool PushGroups::Charge(Group& group, uint64_t bytes) {
  while (!memory_.Add(bytes).ok()) {
    if (&groups_.back() == &group) return false;
    Forget(std::prev(groups_.end()));
  }
  group.charged_bytes += bytes;
  return true;
}

void PushGroups::Release(Group& group, uint64_t bytes) {
  group.charged_bytes -= bytes;
  // Shrinking always succeeds.
  static_cast<void>(memory_.Resize(memory_.bytes() - bytes));
}

void PushGroups::Forget(Groups::iterator group) {
  Release(*group, group->charged_bytes);
  series_count_ -= group->series.size();
  by_labels_.erase(group->labels);
  groups_.erase(group);
}

}  // namespace lockstep::gateway
