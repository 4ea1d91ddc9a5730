#include "storage/db/read/rolled_up_windows.h"

#include <algorithm>

#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

// A border of the buckets, which are (t - 5 min, t].
bool IsBorder(int64_t time_ms) { return time_ms % kThinningBucketMs == 0; }

// The part of the window that lies in the range, if it consists of whole buckets.
bool CutAtBuckets(int32_t window, TimeRange range, TimeRange& part) {
  part = RangeOfWindow(window);
  const bool begins_inside = range.min_ms > part.min_ms;
  const bool ends_inside = range.max_ms < part.max_ms;
  part = {std::max(part.min_ms, range.min_ms), std::min(part.max_ms, range.max_ms)};
  return (!begins_inside || IsBorder(part.min_ms - 1)) && (!ends_inside || IsBorder(part.max_ms));
}

}  // namespace

absl::Status RolledUpWindows::Load(const ShardView& view, std::span<const WindowToRead> windows,
                                   SeriesPlace place, TimeRange range) {
  windows_.clear();
  others_.clear();
  if (windows.empty()) return absl::OkStatus();
  const auto key_of = [place](const WindowToRead& window) {
    return kv::EncodeRollupKey({window.number, place.family, place.block()});
  };
  kv::Cursor rows = view.kv().NewCursor(kv::Space::kRollup,
                                        {key_of(windows.front()), key_of(windows.back()) + '\0'},
                                        view.snapshot());
  for (const WindowToRead& window : windows) {
    TimeRange part;
    // A rollup row covers everything that the chunks of the cold run have.
    if (window.is_all_cold && CutAtBuckets(window.number, range, part)) {
      const std::string key = key_of(window);
      // The cursor may be beyond it already.
      if (rows.Valid() && rows.key() < key) rows.Seek(key);
      if (rows.Valid() && rows.key() == key) {
        Window& found = windows_.emplace_back();
        found.window = window;
        found.range = part;
        found.row = rows.value();
        LOCKSTEP_RETURN_IF_ERROR(found.rollup.Open(found.row, RangeOfWindow(window.number).min_ms));
        continue;
      }
    }
    others_.push_back(window);
  }
  return rows.status();
}

}  // namespace lockstep
