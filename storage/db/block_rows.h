// Walking the chunk rows of a block of series, wherever they are.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "storage/db/dictionary.h"
#include "storage/kv/store.h"

namespace lockstep {

// What reading the key of a chunk row ends with if there is none in it.
absl::Status MalformedChunkKey();

// Calls `row` with the value of every row of the block of `place` in the window, those that were written
// first first. Rows move between spaces: so it is of the snapshot's moment or, if that is null, of the
// present one. Ends at the first error.
absl::Status ForEachBlockRow(const kv::Store& kv, const kv::SnapshotPtr& snapshot, int32_t window,
                             SeriesPlace place,
                             absl::FunctionRef<absl::Status(std::string_view value)> row);

}  // namespace lockstep
