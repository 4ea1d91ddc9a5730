#include "storage/db/store_manifest.h"

#include <charconv>

#include "storage/db/slot.h"

namespace lockstep {
namespace {

constexpr std::string_view kHeading = "lockstep store ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kShards = "shards ";

bool ConsumeLine(std::string_view& text, std::string_view prefix, std::string_view& rest) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(prefix)) return false;
  rest = text.substr(prefix.size(), end - prefix.size());
  text.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::string FormatManifest(const StoreManifest& manifest) {
  std::string text(kHeading);
  text += kVersion;
  text += '\n';
  text += kShards;
  text += std::to_string(manifest.shard_count);
  text += '\n';
  return text;
}

absl::StatusOr<StoreManifest> ParseManifest(std::string_view text) {
  std::string_view version, shards;
  if (!ConsumeLine(text, kHeading, version)) {
    return absl::DataLossError("the manifest is no lockstep store's");
  }
  if (version != kVersion) {
    return absl::FailedPreconditionError("the store has version " + std::string(version) +
                                         ", this program knows version " + std::string(kVersion));
  }
  StoreManifest manifest;
  if (!ConsumeLine(text, kShards, shards) || !text.empty()) {
    return absl::DataLossError("the manifest is malformed");
  }
  const auto [end, error] =
      std::from_chars(shards.data(), shards.data() + shards.size(), manifest.shard_count);
  if (error != std::errc() || end != shards.data() + shards.size() || manifest.shard_count == 0 ||
      manifest.shard_count > kSlotCount) {
    return absl::DataLossError("the manifest's number of shards is malformed");
  }
  return manifest;
}

}  // namespace lockstep
