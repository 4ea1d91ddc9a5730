#include "storage/db/store_manifest.h"

#include <charconv>

#include "absl/strings/str_format.h"
#include "base/crc32c.h"
#include "storage/db/slot.h"

namespace lockstep {
namespace {

constexpr std::string_view kHeading = "lockstep store ";
constexpr std::string_view kReader = "read by lockstep ";
constexpr std::string_view kShards = "shards ";
constexpr std::string_view kChecksum = "checksum ";

bool ConsumeLine(std::string_view& text, std::string_view prefix, std::string_view& rest) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(prefix)) return false;
  rest = text.substr(prefix.size(), end - prefix.size());
  text.remove_prefix(end + 1);
  return true;
}

bool ReadNumber(std::string_view text, uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

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

std::string ChecksumLine(std::string_view text) {
  return absl::StrFormat("%s%08x\n", kChecksum, Crc32c(text));
}

}  // namespace

std::string FormatManifest(const StoreManifest& manifest) {
  const std::string text = absl::StrFormat("%s%d\n%s%s\n%s%d\n", kHeading, kStoreFormat, kReader,
                                           kStoreFormatReader, kShards, manifest.shard_count);
  return text + ChecksumLine(text);
}

absl::StatusOr<StoreManifest> ParseManifest(std::string_view text) {
  const std::string_view whole = text;
  std::string_view format, reader, shards;
  StoreManifest manifest;
  if (!ConsumeLine(text, kHeading, format) || !ReadNumber(format, manifest.format)) {
    return absl::DataLossError("the manifest is no lockstep store's");
  }
  if (!ConsumeLine(text, kReader, reader)) {
    return absl::DataLossError("the manifest is malformed");
  }
  // The first two lines are the same in every format; what follows may not be.
  LOCKSTEP_RETURN_IF_ERROR(CheckFormat(manifest.format, reader));
  if (!ConsumeLine(text, kShards, shards)) {
    return absl::DataLossError("the manifest is malformed");
  }
  if (text != ChecksumLine(whole.substr(0, whole.size() - text.size()))) {
    return absl::DataLossError("the manifest is damaged: its checksum is another");
  }
  if (!ReadNumber(shards, manifest.shard_count) || manifest.shard_count == 0 ||
      manifest.shard_count > kSlotCount) {
    return absl::DataLossError("the manifest's number of shards is malformed");
  }
  return manifest;
}

}  // namespace lockstep
