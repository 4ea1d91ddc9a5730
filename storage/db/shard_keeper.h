// ShardKeeper: the thread that looks after a shard while its writer writes: it seals frozen heads,
// lets old ones be frozen, drops what is older than the retention, and asks whether a full disk has
// room again.
#pragma once

#include <cstdint>
#include <thread>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/db/clock.h"
#include "storage/db/shard_state.h"
#include "storage/db/shard_writer.h"

namespace lockstep {

// Public methods are safe from any thread but the writer's, except that Wake() may come from there
// too. Start() comes first and the destructor last.
class ShardKeeper {
 public:
  // Both must outlive the keeper.
  ShardKeeper(ShardState& shard, ShardWriter& writer, Clock now_ms, int64_t retention_ms);
  ~ShardKeeper();
  void Start();
  // A head was frozen.
  void Wake();
  // Gives a running seal up at its next batch and ends the thread.
  void Stop();

  // Freezes what the active head holds and seals it, after what is frozen already.
  absl::Status Seal();
  absl::Status DropExpired();

 private:
  void Run();
  void Tick();
  bool WaitForTick();
  bool is_stopping();
  absl::Status SealFrozen() LOCKSTEP_REQUIRES(seal_mutex_);
  void Publish(const Head& head, const Windows& windows);

  ShardState& shard_;
  ShardWriter& writer_;
  const Clock now_ms_;
  const int64_t retention_ms_;

  Mutex seal_mutex_;                  // one seal or drop at a time
  int64_t next_drop_ms_ = kNoTimeMs;  // the keeper thread's own

  Mutex mutex_;
  CondVar woken_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool wake_ LOCKSTEP_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace lockstep
