// The store's manifest: DATA/STORE, a text file that says in which format the store is, and what
// cannot change once it is made. On disk: docs/formats/keys.md; the rule for upgrades:
// docs/formats/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep {

// The formats of a store that this program reads, and the last of them, which it writes. Whoever
// changes the meaning of any byte on disk counts kStoreFormat up and says in kStoreFormatReader with
// which release that comes.
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
// kDataLoss for anything that FormatManifest() does not write, kFailedPrecondition for a format that
// this program does not read; the message says which lockstep does.
absl::StatusOr<StoreManifest> ParseManifest(std::string_view text);

}  // namespace lockstep
