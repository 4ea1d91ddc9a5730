// The layout of a store's folder, and its manifest: DATA/STORE, a text file with the format of the
// store and the properties that are fixed when it is created. On disk: docs/formats/keys.md; the
// rule for upgrades: docs/formats/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/kv/files/env.h"

namespace lockstep {

// The range of store formats that this program reads; it writes the last one. A change to the
// meaning of any byte on disk increments kStoreFormat and sets kStoreFormatReader to the release
// that introduces it.
inline constexpr uint32_t kOldestStoreFormat = 1;
inline constexpr uint32_t kStoreFormat = 1;
inline constexpr std::string_view kStoreFormatReader = "0.1.0";

struct StoreManifest {
  uint32_t format = kStoreFormat;
  uint32_t shard_count = 0;
  friend bool operator==(const StoreManifest&, const StoreManifest&) = default;
};

// In the format kStoreFormat.
std::string FormatManifest(const StoreManifest& manifest);
// kDataLoss for input that FormatManifest() does not write, kFailedPrecondition for a format that
// this program does not read; the message names the lockstep version that does.
absl::StatusOr<StoreManifest> ParseManifest(std::string_view text);

std::string ManifestPath(const std::string& data_dir);
std::string ShardFolder(const std::string& data_dir, size_t shard);
// "shard-007".
std::string ShardName(size_t shard);
// The names of all shards that have a folder.
absl::StatusOr<std::vector<std::string>> ShardsIn(const std::string& data_dir, const kv::Env& env);
// The folder of a snapshot, which is a store of its own.
std::string SnapshotFolder(const std::string& data_dir, const std::string& name);

// Reads the manifest of the store in the folder. kNotFound if there is no store, kDataLoss if there
// are shards without a manifest, as after an interrupted restore.
absl::StatusOr<StoreManifest> ReadManifest(const std::string& data_dir, const kv::Env& env);

}  // namespace lockstep
