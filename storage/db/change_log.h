// ChangeLog: from which time on samples changed, since any moment: written, deleted or dropped.
//
// It forgets what it can round to earlier times, so it stays small however long samples stream in. Safe
// from any thread.
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

  // How many changes there were.
  uint64_t count() const;
  // No sample before `earliest_ms` changed. To be called when the change can be seen, and before anybody is
  // told that it was made.
  void Add(int64_t earliest_ms);
  // The earliest time of all changes but the first `count`, or one before that; kNever if there are none.
  int64_t EarliestSince(uint64_t count) const;

 private:
  // Of the changes up to this number, from behind the one before.
  struct Span {
    uint64_t last = 0;
    int64_t earliest_ms = 0;
  };
  void HalveOlder() LOCKSTEP_REQUIRES(mutex_);

  mutable Mutex mutex_;
  uint64_t count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  // Both ascend: a span that is not earlier than all later ones says nothing.
  std::vector<Span> spans_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
