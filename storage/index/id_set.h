// IdSet: a set of ids as bits, for many lookups. It takes memory in pages of 4,096 ids. Not
// thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/index/postings.h"

namespace lockstep {

class IdSet {
 public:
  IdSet() = default;
  explicit IdSet(PostingsView ids) {
    for (const uint32_t id : ids) Insert(id);
  }

  // Returns false if it was there.
  bool Insert(uint32_t id) {
    const size_t page = id / kPageIds;
    if (page >= page_index_.size()) page_index_.resize(page + 1, kNoPage);
    if (page_index_[page] == kNoPage) {
      page_index_[page] = static_cast<uint32_t>(pages_.size());
      pages_.emplace_back();
    }
    uint64_t& word = pages_[page_index_[page]][id % kPageIds / kWordBits];
    const uint64_t bit = uint64_t{1} << (id % kWordBits);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

  bool Has(uint32_t id) const {
    const size_t page = id / kPageIds;
    if (page >= page_index_.size() || page_index_[page] == kNoPage) return false;
    return (pages_[page_index_[page]][id % kPageIds / kWordBits] >> (id % kWordBits) & 1) != 0;
  }

  // Calls visit(id) for each id, ascending.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t page = 0; page < page_index_.size(); ++page) {
      if (page_index_[page] == kNoPage) continue;
      const Page& words = pages_[page_index_[page]];
      for (size_t word = 0; word < words.size(); ++word) {
        for (uint64_t left = words[word]; left != 0; left &= left - 1) {
          visit(static_cast<uint32_t>(page * kPageIds + word * kWordBits +
                                      static_cast<size_t>(std::countr_zero(left))));
        }
      }
    }
  }

 private:
  static constexpr size_t kPageIds = 4096;
  static constexpr size_t kWordBits = 64;
  static constexpr uint32_t kNoPage = UINT32_MAX;
  using Page = std::array<uint64_t, kPageIds / kWordBits>;

  std::vector<uint32_t> page_index_;
  std::vector<Page> pages_;
};

}  // namespace lockstep
