// Reads the chunk rows of blocks of series, in both spaces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "storage/db/series/series_place.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"

namespace lockstep {

// The error for a chunk row whose key is malformed.
absl::Status MalformedChunkKey();

// A window whose rows are read.
struct WindowToRead {
  int32_t number = 0;
  bool is_all_cold = false;  // it has only its cold run, so nothing is in the hot space
};

// Rows as of one moment, because they move between spaces. The first read opens the spaces, and
// each further one only seeks: keep it for all blocks and windows of a reader. Not thread-safe;
// must not outlive the store.
class BlockRows {
 public:
  using Visit = absl::FunctionRef<absl::Status(size_t i, std::string_view value)>;

  // As of the snapshot or, if that is null, of now.
  BlockRows(const kv::Store& kv, const kv::SnapshotPtr& snapshot)
      : kv_(kv), snapshot_(snapshot == nullptr ? kv.NewSnapshot() : snapshot) {}

  // Calls row(i, value) with every row of the block of places[i] in the window; those of one block
  // in the order in which they were written. The blocks ascend. Ends at the first error.
  absl::Status ForEach(WindowToRead window, std::span<const SeriesPlace> places, Visit row);

 private:
  absl::Status ForEachIn(kv::Tier tier, int32_t window, std::span<const SeriesPlace> places,
                         Visit row);
  // Sets the tier's cursor to the first row of these blocks. Precondition: `places` is not empty.
  kv::Cursor& SeekTo(kv::Tier tier, int32_t window, std::span<const SeriesPlace> places);

  const kv::Store& kv_;
  const kv::SnapshotPtr snapshot_;                    // outlives the cursors
  std::array<std::optional<kv::Cursor>, 2> cursors_;  // by tier
};

}  // namespace lockstep
