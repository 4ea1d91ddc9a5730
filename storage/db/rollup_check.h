// Whether a rollup row says what the cold chunks beside it say.
#pragma once

#include <string_view>

#include "base/status.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"

namespace lockstep {

// kDataLoss, with what is wrong, if the row that is stored under `key` is damaged or says something else
// than the chunk rows of its block, or if these cannot be read.
absl::Status CheckRollup(const kv::Store& kv, const kv::RollupKey& key, std::string_view value);

}  // namespace lockstep
