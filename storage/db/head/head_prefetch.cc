#include <array>

#include "storage/db/head/head.h"

namespace lockstep {

void Head::PrefetchSeries(SeriesId id) const {
  const uint32_t slot = SlotOf(id);
  if (slot != kNoSlot) __builtin_prefetch(&series_[slot], 1);
}

void Head::PrefetchTail(SeriesId id) const {
  const uint32_t slot = SlotOf(id);
  if (slot == kNoSlot || series_[slot].float_count == 0) return;
  __builtin_prefetch(&slabs_[series_[slot].last_slab], 1);
}

// The read position in each of the series; all positions advance one step, then all advance the
// next.
struct Head::Walk {
  uint32_t mark = kNoMark;  // may be too late
  uint32_t slab = 0;
  uint32_t last = 0;
};

void Head::PrefetchAll(std::span<const SeriesId> ids, int64_t from_ms) const {
  std::array<Walk, kMaxPrefetched> walks;
  size_t count = 0;
  for (const SeriesId id : ids) PrefetchSeries(id);
  for (const SeriesId id : ids) {
    const uint32_t slot = SlotOf(id);
    if (slot == kNoSlot || series_[slot].float_count == 0) continue;
    const Series& series = series_[slot];
    const uint32_t mark = series.ascending ? series.last_mark : kNoMark;
    if (mark != kNoMark) __builtin_prefetch(&marks_[mark]);
    walks[count++] = {mark, series.first_slab, series.last_slab};
  }
  PrefetchMarks(std::span(walks).first(count), from_ms);
  PrefetchSlabs(std::span(walks).first(count));
}

void Head::PrefetchMarks(std::span<Walk> walks, int64_t from_ms) const {
  for (bool found_all = false; !found_all;) {
    found_all = true;
    for (Walk& walk : walks) {
      if (walk.mark == kNoMark) continue;
      const Mark& mark = marks_[walk.mark];
      const bool is_found = mark.before.timestamp_ms < from_ms;
      if (is_found) walk.slab = mark.slab;
      walk.mark = is_found ? kNoMark : mark.previous;
      if (walk.mark == kNoMark) continue;
      __builtin_prefetch(&marks_[walk.mark]);
      found_all = false;
    }
  }
}

void Head::PrefetchSlabs(std::span<Walk> walks) const {
  // This many lines of each series stay in the second-level cache until they are read.
  constexpr int kMaxLines = 32;
  for (const Walk& walk : walks) __builtin_prefetch(&slabs_[walk.slab]);
  size_t count = walks.size();
  for (int line = 0; line < kMaxLines && count > 0; ++line) {
    size_t left = 0;
    for (size_t i = 0; i < count; ++i) {
      if (walks[i].slab == walks[i].last) continue;
      const uint32_t next = slabs_[walks[i].slab].next;
      __builtin_prefetch(&slabs_[next]);
      walks[left++] = {kNoMark, next, walks[i].last};
    }
    count = left;
  }
}

}  // namespace lockstep
