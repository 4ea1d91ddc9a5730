// SlotPages: maps a series id to its slot in a head. Ids ascend forever, and a head has slots only
// for series that are written to. A page of 1,024 ids exists only if one of them has a slot, so
// series that stopped take no memory. Threads: as for Head, one writer or many readers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "storage/index/postings.h"

namespace lockstep {

class SlotPages {
 public:
  static constexpr uint32_t kNoSlot = std::numeric_limits<uint32_t>::max();

  SlotPages() { NewPage(); }

  uint32_t Get(SeriesId id) const {
    const size_t page = id >> kPageShift;
    return page < by_id_.size() ? (*by_id_[page])[id & kMask] : kNoSlot;
  }
  void Set(SeriesId id, uint32_t slot) {
    const size_t page = id >> kPageShift;
    if (page >= by_id_.size()) by_id_.resize(page + 1, empty_page());
    if (by_id_[page] == empty_page()) by_id_[page] = NewPage();
    (*by_id_[page])[id & kMask] = slot;
  }
  // The number of pages with slots.
  size_t page_count() const { return pages_.size() - 1; }

 private:
  static constexpr size_t kPageShift = 10;
  static constexpr size_t kMask = (size_t{1} << kPageShift) - 1;
  using Page = std::array<uint32_t, kMask + 1>;

  // The first page, shared by all ranges without slots.
  Page* empty_page() const { return pages_.front().get(); }
  Page* NewPage() {
    pages_.push_back(std::make_unique<Page>());
    pages_.back()->fill(kNoSlot);
    return pages_.back().get();
  }

  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<Page*> by_id_;
};

}  // namespace lockstep
