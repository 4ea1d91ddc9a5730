// Shard: one RocksDB with its state, its writer and its keeper.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/status.h"
#include "storage/db/read/shard_view.h"
#include "storage/db/rewrite/shard_keeper.h"
#include "storage/db/state/shard_state.h"
#include "storage/db/write/shard_writer.h"

namespace lockstep {

// Safe from any thread, but Close() and the destructor come last.
class Shard {
 public:
  // A read-only shard is never started, so nothing in it ever changes.
  enum Access { kReadAndWrite, kReadOnly };
  // Call Start() next. `number` is the shard's index in the store; `directory` has the series of
  // all shards and `series_limit` counts them.
  static absl::StatusOr<std::unique_ptr<Shard>> Open(
      std::string folder, uint32_t number, std::shared_ptr<SeriesDirectory> directory,
      std::shared_ptr<ChangeLog> changes, std::shared_ptr<SeriesLimit> series_limit,
      std::shared_ptr<kv::Env> env, std::shared_ptr<const kv::Resources> resources,
      const WriterLimits& limits, Clock now_ms, Access access);
  // Starts the writer and the keeper. Precondition: the clock of the limits has begun.
  void Start();
  // Leaves the state of a crash; queued requests are answered with an error.
  ~Shard();

  const ShardState& state() const { return state_; }
  ShardWriter& writer() { return writer_; }
  ShardKeeper& keeper() { return keeper_; }
  ShardView View() const { return ShardView(state_); }

  // Answers queued requests, and lets the keeper seal what is in memory for up to `seal_patience`.
  void Finish(std::chrono::milliseconds seal_patience);
  // Waits for Finish() to complete and closes the files. Precondition: Finish() was called.
  absl::Status Close();

 private:
  Shard(std::string folder, std::shared_ptr<SeriesLimit> series_limit, std::shared_ptr<kv::Env> env,
        const WriterLimits& limits, Clock now_ms);

  ShardState state_;
  ShardWriter writer_;
  ShardKeeper keeper_;
};

}  // namespace lockstep
