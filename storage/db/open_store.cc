// OpenStore(): the manifest, the shards and their clock.
#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "base/log.h"
#include "storage/db/layout/slot.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/retention/clock_record.h"
#include "storage/db/retention/retention_clock.h"
#include "storage/db/shard.h"
#include "storage/db/store.h"
#include "storage/kv/files/env.h"

namespace lockstep {
namespace {

constexpr uint32_t kCoresPerShard = 4;

absl::Status Check(const StoreOptions& options) {
  if (options.data_dir.empty()) return absl::InvalidArgumentError("the data folder is not set");
  if (options.retention_ms <= 0)
    return absl::InvalidArgumentError("the retention must be positive");
  if (options.shard_count > kSlotCount) {
    return absl::InvalidArgumentError("there can be at most " + std::to_string(kSlotCount) +
                                      " shards");
  }
  return absl::OkStatus();
}

uint32_t DefaultShardCount() {
  return std::max(1u, std::thread::hardware_concurrency() / kCoresPerShard);
}

// The manifest of the store in the folder; in an empty folder, that of the store that is created
// now.
absl::StatusOr<StoreManifest> OpenManifest(const StoreOptions& options) {
  if (options.read_only) return ReadManifest(options.data_dir, *options.env);
  LOCKSTEP_RETURN_IF_ERROR(options.env->CreateFolder(options.data_dir));
  const absl::StatusOr<StoreManifest> stored = ReadManifest(options.data_dir, *options.env);
  StoreManifest manifest;
  if (absl::IsNotFound(stored.status())) {
    manifest.shard_count = options.shard_count == 0 ? DefaultShardCount() : options.shard_count;
  } else if (!stored.ok() || stored->format == kStoreFormat) {
    return stored;
  } else {
    manifest.shard_count = stored->shard_count;
  }
  // Done before anything is written in this format: from now on a program that does not know the
  // format refuses the store.
  LOCKSTEP_RETURN_IF_ERROR(
      options.env->WriteFile(ManifestPath(options.data_dir), FormatManifest(manifest)));
  return manifest;
}

std::optional<int64_t> NewestSampleMs(const std::vector<std::unique_ptr<Shard>>& shards) {
  std::optional<int64_t> newest_ms;
  const auto raise = [&newest_ms](int64_t time_ms) {
    newest_ms = std::max(newest_ms.value_or(time_ms), time_ms);
  };
  for (const std::unique_ptr<Shard>& shard : shards) {
    const ShardState& state = shard->state();
    ReaderLock lock(state.mutex);
    if (state.active->sample_count() > 0) raise(state.active->range().max_ms);
    for (const auto& [number, window] : state.windows) raise(window.totals().range.max_ms);
  }
  return newest_ms;
}

// Done before anything is dropped or refused because of its time.
absl::Status Begin(RetentionClock& clock, const std::vector<std::unique_ptr<Shard>>& shards) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<ClockRecord> record,
                            ReadClockRecord(*shards.front()->state().kv));
  clock.Begin(record, record.has_value() ? std::nullopt : NewestSampleMs(shards));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenStore(StoreOptions options) {
  LOCKSTEP_RETURN_IF_ERROR(Check(options));
  LOCKSTEP_ASSIGN_OR_RETURN(const RetentionRules retention,
                            RetentionRules::Make(options.retention_rules, options.retention_ms));
  if (options.env == nullptr) options.env = kv::Env::Default();
  LOCKSTEP_ASSIGN_OR_RETURN(const StoreManifest manifest, OpenManifest(options));
  if (options.shard_count != 0 && options.shard_count != manifest.shard_count) {
    Log(LogLevel::kWarn, "the store keeps the number of shards that it was created with",
        {{"shards", manifest.shard_count}, {"asked_for", options.shard_count}});
  }
  const auto clock = std::make_shared<RetentionClock>(options.now_ms, options.monotonic_ms,
                                                      retention.ShortestKeepMs());
  const auto resources = std::make_shared<const kv::Resources>(
      kv::ResourceLimits{.block_cache_bytes = options.block_cache_bytes,
                         .max_open_tables = kv::OpenTablesOf(manifest.shard_count)});
  const WriterLimits limits{.max_queue_requests = options.max_queue_requests,
                            .max_queue_bytes = options.max_queue_bytes,
                            .head_bytes = options.head_bytes / manifest.shard_count,
                            .head_age_ms = options.head_age_ms,
                            .retention = retention,
                            .clock = clock,
                            .min_free_bytes = options.min_free_bytes};
  const auto directory = std::make_shared<SeriesDirectory>();
  const auto changes = std::make_shared<ChangeLog>();
  const auto series_limit = std::make_shared<SeriesLimit>(options.series);
  std::vector<std::unique_ptr<Shard>> shards;
  for (uint32_t i = 0; i < manifest.shard_count; ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(
        std::unique_ptr<Shard> shard,
        Shard::Open(ShardFolder(options.data_dir, i), i, directory, changes, series_limit,
                    options.env, resources, limits, options.now_ms,
                    options.read_only ? Shard::kReadOnly : Shard::kReadAndWrite));
    shards.push_back(std::move(shard));
  }
  if (options.read_only) {
    clock->Begin(std::nullopt, std::nullopt);
  } else {
    LOCKSTEP_RETURN_IF_ERROR(Begin(*clock, shards));
    for (const std::unique_ptr<Shard>& shard : shards) shard->Start();
  }
  return std::unique_ptr<Store>(new Store(std::move(options), retention, clock, directory, changes,
                                          series_limit, std::move(shards)));
}

}  // namespace lockstep
