// PushGroups: which series batch jobs have pushed under which grouping labels, so that those which
// are pushed no more end with a stale marker.
//
//   PushChange change = groups.Begin(group, PushKind::kReplace, time_ms, write);
//   the markers are in `write` now
//   ... the ingester stores `write` ...
//   groups.End(change, was_stored);
//
// In memory alone: after a restart a group begins anew, and what it had before goes the way of all
// series without new samples. Bounded by numbers of groups and series and by the memory of streams;
// the group that was pushed to least recently is forgotten first. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/memory_budget.h"
#include "base/mutex.h"
#include "ingest/decoded_write.h"
#include "model/labels.h"

namespace lockstep::gateway {

enum class PushKind {
  kReplace,  // series that are not in the push end
  kUpdate,   // those that have the name of one that is
  kDelete,   // all end
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
  static constexpr size_t kMaxSeries = 200'000;  // of all groups

  explicit PushGroups(size_t max_groups = kMaxGroups, size_t max_series = kMaxSeries)
      : max_groups_(max_groups), max_series_(max_series) {}
  PushGroups(const PushGroups&) = delete;
  PushGroups& operator=(const PushGroups&) = delete;

  // Notes the series of `write` as those of the group, and adds stale markers of `time_ms` for
  // those that end.
  PushChange Begin(const LabelSet& group, PushKind kind, int64_t time_ms, DecodedWrite& write);
  void End(const PushChange& change, bool was_stored);

  // When the last push that could not be read came, in Unix seconds; 0: none since the group began.
  double failure_seconds(const LabelSet& group) const;
  void SetFailure(const LabelSet& group, double seconds);

  size_t size() const;

 private:
  struct Group {
    LabelSet labels;
    absl::flat_hash_map<LabelSet, bool> series;  // whether its samples are native histograms
    double failure_seconds = 0;
    uint64_t charged_bytes = 0;
  };
  using Groups = std::list<Group>;  // the one pushed to last is in front

  Group& Touch(const LabelSet& labels) LOCKSTEP_REQUIRES(mutex_);
  // Adds a series. This and Charge() forget other groups to have room. False: there is none.
  bool Note(Group& group, const SeriesWrite& series) LOCKSTEP_REQUIRES(mutex_);
  bool Charge(Group& group, uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);
  void Release(Group& group, uint64_t bytes) LOCKSTEP_REQUIRES(mutex_);
  void Forget(Groups::iterator group) LOCKSTEP_REQUIRES(mutex_);

  const size_t max_groups_;
  const size_t max_series_;
  mutable Mutex mutex_;
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_){MemoryAccount::kStreams};  // of all groups
  size_t series_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  Groups groups_ LOCKSTEP_GUARDED_BY(mutex_);
  absl::flat_hash_map<LabelSet, Groups::iterator> by_labels_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::gateway
