// ChangeLog: the earliest time at which samples were written, deleted or dropped since a given
// moment.
//
// It rounds old entries down to earlier times, so it stays small however long samples stream in.
// Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/mutex.h"

namespace lockstep {

class ChangeLog {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  // The number of changes so far.
  uint64_t count() const;
  // Records that samples at or after `earliest_ms` changed. Call it once the change is visible and
  // before anyone is told that it was made.
  void Add(int64_t earliest_ms);
  // A lower bound of the earliest time changed after the first `count` changes; kNever if there are
  // none.
  int64_t EarliestSince(uint64_t count) const;

 private:
  // The changes up to this number that follow the previous span.
  struct Span {
    uint64_t last = 0;
    int64_t earliest_ms = 0;
  };
  void HalveOlder() LOCKSTEP_REQUIRES(mutex_);

  mutable Mutex mutex_;
  uint64_t count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  // Both fields ascend: a span whose time is not earlier than that of all later spans is redundant.
  std::vector<Span> spans_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
