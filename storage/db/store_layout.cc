#include "storage/db/store_layout.h"

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

constexpr std::string_view kShardPrefix = "shard-";

// What the lack of a manifest means.
absl::Status WithoutManifest(const std::string& data_dir, const kv::Env& env) {
  const absl::StatusOr<std::vector<std::string>> shards = ShardsIn(data_dir, env);
  if (!shards.ok() || shards->empty())
    return absl::NotFoundError("there is no store in " + data_dir);
  return absl::DataLossError(absl::StrFormat(
      "%s is missing beside its shards: it was lost, or what was restored into this folder did not "
      "come to its end. Restore the store from a backup into a new folder",
      ManifestPath(data_dir)));
}

}  // namespace

std::string ManifestPath(const std::string& data_dir) { return data_dir + "/STORE"; }

std::string ShardName(size_t shard) { return absl::StrFormat("%s%03d", kShardPrefix, shard); }

std::string ShardFolder(const std::string& data_dir, size_t shard) {
  return data_dir + "/" + ShardName(shard);
}

absl::StatusOr<std::vector<std::string>> ShardsIn(const std::string& data_dir, const kv::Env& env) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> names, env.ListFolder(data_dir));
  std::erase_if(names, [](const std::string& name) { return !name.starts_with(kShardPrefix); });
  return names;
}

std::string SnapshotFolder(const std::string& data_dir, const std::string& name) {
  return data_dir + "/snapshots/" + name;
}

absl::StatusOr<StoreManifest> ReadManifest(const std::string& data_dir, const kv::Env& env) {
  const std::string path = ManifestPath(data_dir);
  const absl::StatusOr<std::string> text = env.ReadFile(path);
  if (absl::IsNotFound(text.status())) return WithoutManifest(data_dir, env);
  LOCKSTEP_RETURN_IF_ERROR(text.status());
  absl::StatusOr<StoreManifest> manifest = ParseManifest(*text);
  if (!manifest.ok()) return Annotate(manifest.status(), path);
  return manifest;
}

}  // namespace lockstep
