// PushGroups: the series that batch jobs have pushed under each grouping key, so that series that
// are no longer pushed end with a stale marker.
//
//   PushChange change = groups.Begin(group, PushKind::kReplace, time_ms, write);
//   `write` now contains the markers
//   ... the ingester stores `write` ...
//   groups.End(change, was_stored);
//
// In memory only: after a restart every group starts empty, and its earlier series end like any
// series without new samples. Bounded by the number of groups and series and by the streams'
// memory; the least recently pushed group is evicted first. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "ingest/write/decoded_write.h"
#include "model/labels.h"

namespace lockstep::gateway {

enum class PushKind {
  kReplace,  // ends series that are not in the push
  kUpdate,   // ends series that share a metric name with the push
  kDelete,   // ends all series
};

struct PushChange {
  LabelSet group;
  PushKind kind = PushKind::kReplace;
  std::vector<LabelSet> added;  // to the group
  std::vector<LabelSet> ended;
};

class PushGroups {
 public:
  static constexpr size_t kMaxGroups = 10'000;
  static constexpr size_t kMaxSeries = 200'000;  // in all groups

  explicit PushGroups(size_t max_groups = kMaxGroups, size_t max_series = kMaxSeries)
      : max_groups_(max_groups), max_series_(max_series) {}
  PushGroups(const PushGroups&) = delete;
  PushGroups& operator=(const PushGroups&) = delete;

  // Records the series of `write` in the group, and adds stale markers at `time_ms` for series that
  // end.
  PushChange Begin(const LabelSet& group, PushKind kind, int64_t time_ms, DecodedWrite& write);
  void End(const PushChange& change, bool was_stored);

  // The Unix time in seconds of the last undecodable push; 0 if none since the group was created.
  double failure_seconds(const LabelSet& group) const;
  void SetFailure(const LabelSet& group, double seconds);

  size_t size() const;

 private:
  struct Group {
    LabelSet labels;
    absl::flat_hash_map<LabelSet, bool> series;  // true: native histograms
    double failure_seconds = 0;
    uint64_t charged_bytes = 0;
  };
  using Groups = std::list<Group>;  // most recently pushed first

  Group& Touch(const LabelSet& labels) LOCKSTEP_REQUIRES(mutex_);
  // Adds a series. This and Charge() evict other groups to make room; false if there is none.
  bool Note(Group& group, const SeriesWrite& series) LOCKSTEP_REQUIRES(mutex_);
  bool Charge(Group& group, uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);
  void Release(Group& group, uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);
  void Forget(Groups::iterator group) LOCKSTEP_REQUIRES(mutex_);

  const size_t max_groups_;
  const size_t max_series_;
  mutable Mutex mutex_;
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_){MemoryAccount::kStreams};  // in all groups
  size_t series_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  Groups groups_ LOCKSTEP_GUARDED_BY(mutex_);
  absl::flat_hash_map<LabelSet, Groups::iterator> by_labels_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::gateway
