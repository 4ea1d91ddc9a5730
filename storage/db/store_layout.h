// Where things are in a store's folder. On disk: docs/formats/keys.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/db/store_manifest.h"
#include "storage/kv/env.h"

namespace lockstep {

std::string ManifestPath(const std::string& data_dir);
std::string ShardFolder(const std::string& data_dir, size_t shard);
// "shard-007".
std::string ShardName(size_t shard);
// The names of all shards that have a folder.
absl::StatusOr<std::vector<std::string>> ShardsIn(const std::string& data_dir, const kv::Env& env);
// Of a store of its own.
std::string SnapshotFolder(const std::string& data_dir, const std::string& name);

// Of the store in the folder. kNotFound if there is none, kDataLoss if there are shards without a
// manifest, as an interrupted restore leaves them.
absl::StatusOr<StoreManifest> ReadManifest(const std::string& data_dir, const kv::Env& env);

}  // namespace lockstep
