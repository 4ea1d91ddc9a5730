#include "storage/db/rolled_up_windows.h"

#include <algorithm>

#include "storage/db/window.h"

namespace lockstep {
namespace {

// Of buckets that end there: (t - 5 min, t].
bool IsBorder(int64_t time_ms) { return time_ms % kThinningBucketMs == 0; }

// What of the window lies in the range, if that is whole buckets.
bool CutAtBuckets(int32_t window, TimeRange range, TimeRange& part) {
  part = RangeOfWindow(window);
  const bool begins_inside = range.min_ms > part.min_ms;
  const bool ends_inside = range.max_ms < part.max_ms;
  part = {std::max(part.min_ms, range.min_ms), std::min(part.max_ms, range.max_ms)};
  return (!begins_inside || IsBorder(part.min_ms - 1)) && (!ends_inside || IsBorder(part.max_ms));
}

}  // namespace

absl::Status RolledUpWindows::Load(const ShardView& view, std::span<const int32_t> windows,
                                   SeriesPlace place, TimeRange range) {
  windows_.clear();
  others_.clear();
  if (windows.empty()) return absl::OkStatus();
  const auto key_of = [place](int32_t window) {
    return kv::EncodeRollupKey({window, place.family, place.block()});
  };
  kv::Cursor rows = view.kv().NewCursor(kv::Space::kRollup,
                                        {key_of(windows.front()), key_of(windows.back()) + '\0'},
                                        view.snapshot());
  for (const int32_t number : windows) {
    TimeRange part;
    if (view.IsAllCold(number) && CutAtBuckets(number, range, part)) {
      const std::string key = key_of(number);
      rows.Seek(key);
      if (rows.Valid() && rows.key() == key) {
        Window& window = windows_.emplace_back();
        window.number = number;
        window.range = part;
        window.row = rows.value();
        LOCKSTEP_RETURN_IF_ERROR(window.rollup.Open(window.row, RangeOfWindow(number).min_ms));
        continue;
      }
      LOCKSTEP_RETURN_IF_ERROR(rows.status());
    }
    others_.push_back(number);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
