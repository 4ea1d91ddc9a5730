// Checks that a rollup row agrees with the cold chunks of its block.
#pragma once

#include <string_view>

#include "base/status.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"

namespace lockstep {

// kDataLoss, with the reason, if the row stored under `key` is damaged or contradicts the chunk
// rows of its block, or if these cannot be read.
absl::Status CheckRollup(const kv::Store& kv, const kv::RollupKey& key, std::string_view value);

}  // namespace lockstep
