#include "storage/db/check/store_check.h"

#include <vector>

#include "storage/db/check/shard_check.h"
#include "storage/db/layout/store_layout.h"

namespace lockstep {

absl::StatusOr<CheckReport> CheckStore(const std::string& data_dir, std::shared_ptr<kv::Env> env,
                                       const CheckListener& listener) {
  LOCKSTEP_RETURN_IF_ERROR(env->ListFolder(data_dir).status());
  CheckReport report;
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> shards, ShardsIn(data_dir, *env));
  const absl::StatusOr<StoreManifest> manifest = ReadManifest(data_dir, *env);
  if (manifest.ok()) {
    shards.clear();
    for (size_t i = 0; i < manifest->shard_count; ++i) shards.push_back(ShardName(i));
  } else if (absl::IsDataLoss(manifest.status())) {
    ++report.damage_count;
    listener.on_damage("manifest", std::string(Message(manifest.status())));
  } else {
    return manifest.status();
  }
  for (const std::string& shard : shards) {
    ++report.shard_count;
    LOCKSTEP_RETURN_IF_ERROR(
        ShardCheck(data_dir + "/" + shard, shard, env, report, listener).Run());
  }
  return report;
}

}  // namespace lockstep
