// Rows of a space as far as they can be read: what a damaged table holds is passed over.
#pragma once

#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "storage/kv/store.h"

namespace lockstep {

// Calls `row` for every row of the range that can be read, in key order, and `failed` each time that
// reading stops; it goes on behind the table of `damaged` that it stopped in, if it is one of them.
void ForEachReadableRow(const kv::Store& kv, kv::Space space, kv::KeyRange range,
                        std::span<const kv::TableFile> damaged,
                        absl::FunctionRef<void(std::string_view key, std::string_view value)> row,
                        absl::FunctionRef<void(const absl::Status& status)> failed);

}  // namespace lockstep
