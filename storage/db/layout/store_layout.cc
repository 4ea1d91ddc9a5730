#include "storage/db/layout/store_layout.h"

#include "absl/strings/str_format.h"
#include "storage/db/layout/slot.h"
#include "storage/db/layout/text_line.h"

namespace lockstep {
namespace {

constexpr std::string_view kManifestHeading = "lockstep store";
constexpr std::string_view kShards = "shards";

absl::Status CheckFormat(uint32_t format, std::string_view reader) {
  if (format > kStoreFormat) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the store has format %d, which lockstep %s and later can read; this version reads formats "
        "up to %d. Use lockstep %s or later, or restore a backup from before the upgrade",
        format, reader, kStoreFormat, reader));
  }
  if (format < kOldestStoreFormat) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the store has format %d, but this version of lockstep reads formats from %d on. Open the "
        "store once with a version between %s and this one to upgrade it",
        format, kOldestStoreFormat, reader));
  }
  return absl::OkStatus();
}

constexpr std::string_view kShardPrefix = "shard-";

// The error for a missing manifest.
absl::Status WithoutManifest(const std::string& data_dir, const kv::Env& env) {
  const absl::StatusOr<std::vector<std::string>> shards = ShardsIn(data_dir, env);
  if (!shards.ok() || shards->empty())
    return absl::NotFoundError("there is no store in " + data_dir);
  return absl::DataLossError(
      absl::StrFormat("%s is missing beside its shards: it was lost, or a restore into this folder "
                      "did not finish. Restore the store from a backup into a new folder",
                      ManifestPath(data_dir)));
}

}  // namespace

std::string FormatManifest(const StoreManifest& manifest) {
  const std::string text =
      absl::StrFormat("%s %d\n%s %s\n%s %d\n", kManifestHeading, kStoreFormat, kReaderLine,
                      kStoreFormatReader, kShards, manifest.shard_count);
  return text + ChecksumLine(text);
}

absl::StatusOr<StoreManifest> ParseManifest(std::string_view text) {
  const std::string_view whole = text;
  std::string_view reader, shards;
  StoreManifest manifest;
  if (!ConsumeNumber(text, kManifestHeading, manifest.format)) {
    return absl::DataLossError("not the manifest of a lockstep store");
  }
  if (!ConsumeLine(text, kReaderLine, reader)) {
    return absl::DataLossError("the manifest is malformed");
  }
  // The first two lines are the same in every format; what follows may not be.
  LOCKSTEP_RETURN_IF_ERROR(CheckFormat(manifest.format, reader));
  if (!ConsumeLine(text, kShards, shards)) {
    return absl::DataLossError("the manifest is malformed");
  }
  if (!IsChecksumOf(whole, text)) {
    return absl::DataLossError("the manifest is damaged: checksum mismatch");
  }
  if (!ReadNumber(shards, manifest.shard_count) || manifest.shard_count == 0 ||
      manifest.shard_count > kSlotCount) {
    return absl::DataLossError("the manifest's shard count is malformed");
  }
  return manifest;
}

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
