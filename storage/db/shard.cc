#include "storage/db/shard.h"

#include <utility>

#include "storage/db/state/recovery.h"

namespace lockstep {

Shard::Shard(std::string folder, std::shared_ptr<SeriesLimit> series_limit,
             std::shared_ptr<kv::Env> env, const WriterLimits& limits, Clock now_ms)
    : state_(std::move(series_limit), now_ms),
      writer_(state_, limits, [this] { keeper_.Wake(); }),
      keeper_(state_, writer_, limits.clock, limits.retention, limits.min_free_bytes) {
  state_.folder = std::move(folder);
  state_.env = std::move(env);
}

absl::StatusOr<std::unique_ptr<Shard>> Shard::Open(
    std::string folder, uint32_t number, std::shared_ptr<SeriesDirectory> directory,
    std::shared_ptr<ChangeLog> changes, std::shared_ptr<SeriesLimit> series_limit,
    std::shared_ptr<kv::Env> env, std::shared_ptr<const kv::Resources> resources,
    const WriterLimits& limits, Clock now_ms, Access access) {
  std::unique_ptr<Shard> shard(
      new Shard(std::move(folder), std::move(series_limit), std::move(env), limits, now_ms));
  ShardState& state = shard->state_;
  state.number = number;
  state.directory = std::move(directory);
  state.changes = std::move(changes);
  const auto open = access == kReadOnly ? &kv::Store::OpenReadOnly : &kv::Store::Open;
  LOCKSTEP_ASSIGN_OR_RETURN(state.kv, open(state.folder, state.env, std::move(resources)));
  LOCKSTEP_RETURN_IF_ERROR(Annotate(Recover(state), "recovering " + state.folder));
  return shard;
}

void Shard::Start() {
  writer_.Start();
  keeper_.Start();
}

Shard::~Shard() {
  writer_.Abort();
  keeper_.Stop();
}

void Shard::Finish(std::chrono::milliseconds seal_patience) {
  writer_.Stop();
  keeper_.Finish(seal_patience);
}

absl::Status Shard::Close() {
  keeper_.Join();
  return state_.kv->Close();
}

}  // namespace lockstep
