// Shard: one RocksDB with its state, its writer and its keeper.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/status.h"
#include "storage/db/shard_keeper.h"
#include "storage/db/shard_state.h"
#include "storage/db/shard_view.h"
#include "storage/db/shard_writer.h"

namespace lockstep {

// Safe from any thread, but Close() and the destructor come last.
class Shard {
 public:
  // A read-only shard is never started: nothing ever changes.
  enum Access { kReadAndWrite, kReadOnly };
  // Start() comes next. `number` is its place among the shards of the store, whose series `directory` has and `series_limit`
  // counts.
  static absl::StatusOr<std::unique_ptr<Shard>> Open(
      std::string folder, uint32_t number, std::shared_ptr<SeriesDirectory> directory,
      std::shared_ptr<ChangeLog> changes, std::shared_ptr<SeriesLimit> series_limit,
      std::shared_ptr<kv::Env> env, std::shared_ptr<const kv::Resources> resources,
      const WriterLimits& limits, Clock now_ms, Access access);
  // Starts the writer and the keeper. Precondition: the clock of the limits has begun.
  void Start();
  // As after a crash: what is queued is answered with an error.
  ~Shard();

  const ShardState& state() const { return state_; }
  ShardWriter& writer() { return writer_; }
  ShardKeeper& keeper() { return keeper_; }
  ShardView View() const { return ShardView(state_); }

  // Answers what is queued, and lets the keeper seal what is in memory for as long as `seal_patience`.
  void Finish(std::chrono::milliseconds seal_patience);
  // Waits for that and closes the files. Precondition: Finish().
  absl::Status Close();

 private:
  Shard(std::string folder, std::shared_ptr<SeriesLimit> series_limit, std::shared_ptr<kv::Env> env,
        const WriterLimits& limits, Clock now_ms);

  ShardState state_;
  ShardWriter writer_;
  ShardKeeper keeper_;
};

}  // namespace lockstep
