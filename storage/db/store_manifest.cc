#include "storage/db/store_manifest.h"

#include "absl/strings/str_format.h"
#include "storage/db/slot.h"
#include "storage/db/text_line.h"

namespace lockstep {
namespace {

constexpr std::string_view kManifestHeading = "lockstep store";
constexpr std::string_view kShards = "shards";

absl::Status CheckFormat(uint32_t format, std::string_view reader) {
  if (format > kStoreFormat) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the store has format %d, which lockstep %s and later read; this one reads formats up to "
        "%d. Use lockstep %s or later, or restore a backup that is older than the upgrade",
        format, reader, kStoreFormat, reader));
  }
  if (format < kOldestStoreFormat) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the store has format %d, and this lockstep reads formats from %d on. Open "
                        "it once with a lockstep between %s and this one, which upgrades it",
                        format, kOldestStoreFormat, reader));
  }
  return absl::OkStatus();
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
    return absl::DataLossError("the manifest is no lockstep store's");
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
    return absl::DataLossError("the manifest is damaged: its checksum is another");
  }
  if (!ReadNumber(shards, manifest.shard_count) || manifest.shard_count == 0 ||
      manifest.shard_count > kSlotCount) {
    return absl::DataLossError("the manifest's number of shards is malformed");
  }
  return manifest;
}

}  // namespace lockstep
