#include "storage/db/stopped_store.h"

#include <utility>
#include <vector>

#include "storage/db/backup_folder.h"
#include "storage/db/store_layout.h"
#include "storage/kv/store.h"

namespace lockstep {

absl::StatusOr<BackupSummary> BackUpStoppedStore(const std::string& data_dir,
                                                 const std::string& folder, size_t keep_count,
                                                 int64_t now_ms, std::shared_ptr<kv::Env> env) {
  LOCKSTEP_ASSIGN_OR_RETURN(const StoreManifest manifest, ReadManifest(data_dir, *env));
  LOCKSTEP_ASSIGN_OR_RETURN(std::string manifest_text, env->ReadFile(ManifestPath(data_dir)));
  const auto resources = std::make_shared<const kv::Resources>(kv::ResourceLimits());
  std::vector<std::unique_ptr<kv::Store>> open;
  std::vector<kv::Store*> shards;
  for (uint32_t i = 0; i < manifest.shard_count; ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(open.emplace_back(),
                              kv::Store::Open(ShardFolder(data_dir, i), env, resources));
    shards.push_back(open.back().get());
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<BackupFolder> backups,
                            BackupFolder::Open(folder, env));
  LOCKSTEP_ASSIGN_OR_RETURN(const BackupSummary summary,
                            backups->Add(shards, std::move(manifest_text), now_ms));
  LOCKSTEP_RETURN_IF_ERROR(backups->KeepNewest(keep_count));
  return summary;
}

}  // namespace lockstep
