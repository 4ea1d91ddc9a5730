// The store's manifest: DATA/STORE, a text file that says what cannot change once a store is made.
// On disk: docs/formats/keys.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep {

struct StoreManifest {
  uint32_t shard_count = 0;
  friend bool operator==(const StoreManifest&, const StoreManifest&) = default;
};

std::string FormatManifest(const StoreManifest& manifest);
// kDataLoss for anything that FormatManifest() does not write, kFailedPrecondition for a version
// that this program does not know.
absl::StatusOr<StoreManifest> ParseManifest(std::string_view text);

}  // namespace lockstep
