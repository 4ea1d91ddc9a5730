// RowSteps: how work on stored rows that takes long takes turns with a shard's seals, merges and drops:
// step by step, each alone.
#pragma once

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "base/status.h"

namespace lockstep {

// So much is read or written in one step.
inline constexpr size_t kRowStepBytes = size_t{1} << 20;

// Safe from any thread but the writer's.
class RowSteps {
 public:
  virtual ~RowSteps() = default;

  // Freezes what the active head holds and seals it, after what is frozen already.
  virtual absl::Status Seal() = 0;
  // Once true, the work is to be given up at its next batch.
  virtual bool must_give_up() = 0;
  // kUnavailable while the disk has no room for rows that are written anew before the old ones go.
  virtual absl::Status CheckRoom() const = 0;
  // Runs one step, after a head that waits to be sealed: whoever asks for steps in a row may leave the
  // keeper's thread no chance. If the step says true, `publish` runs on the writer's thread, holding the
  // shard's lock; false: nothing was left to do. Returns what the step says.
  virtual absl::StatusOr<bool> Step(absl::FunctionRef<absl::StatusOr<bool>()> step,
                                    absl::FunctionRef<void()> publish) = 0;
  // A step that forgets the series that have no samples any more.
  virtual absl::Status ForgetEmptySeries() = 0;
};

}  // namespace lockstep
