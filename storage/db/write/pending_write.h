// PendingWrite: one request that several shards work on; it answers when the last one is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/write.h"

namespace lockstep {

// Safe from any thread.
class PendingWrite {
 public:
  // Precondition: part_count > 0.
  PendingWrite(WriteCallback committed, size_t part_count)
      : committed_(std::move(committed)), parts_left_(part_count) {}

  // Each shard concerned calls this once. The last call runs the callback, with the first error if
  // there was one: then some shards may have stored their part, which a retry reports as
  // duplicates.
  void PartDone(absl::StatusOr<WriteOutcome> part);

 private:
  Mutex mutex_;
  WriteCallback committed_;
  size_t parts_left_ LOCKSTEP_GUARDED_BY(mutex_);
  absl::StatusOr<WriteOutcome> outcome_ LOCKSTEP_GUARDED_BY(mutex_) = WriteOutcome();
};

}  // namespace lockstep
