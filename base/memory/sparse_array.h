// SparseArray: elements by number, for numbers that are assigned in order and never reused. A page
// of 2^kPageShift numbers exists only while one of them is in use, so memory follows the numbers in
// use, not all that were ever assigned. References live until their element is erased. Not
// thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"

namespace lockstep {

template <typename T, size_t kPageShift>
class SparseArray {
 public:
  bool Has(uint32_t number) const {
    const size_t page = number >> kPageShift;
    return page < pages_.size() && pages_[page] != nullptr && pages_[page]->Has(number & kMask);
  }
  // Precondition: Has(number).
  T& operator[](uint32_t number) { return pages_[number >> kPageShift]->items[number & kMask]; }
  const T& operator[](uint32_t number) const {
    return pages_[number >> kPageShift]->items[number & kMask];
  }

  // Precondition: !Has(number).
  T& Put(uint32_t number, T item) {
    const size_t page_number = number >> kPageShift;
    if (page_number >= pages_.size()) pages_.resize(page_number + 1);
    if (pages_[page_number] == nullptr) pages_[page_number] = std::make_unique<Page>();
    Page& page = *pages_[page_number];
    const size_t index = number & kMask;
    LOCKSTEP_CHECK(!page.Has(index));
    page.used[index / kWordBits] |= uint64_t{1} << (index % kWordBits);
    ++page.count;
    ++size_;
    return page.items[index] = std::move(item);
  }

  // Precondition: Has(number).
  void Erase(uint32_t number) {
    LOCKSTEP_CHECK(Has(number));
    std::unique_ptr<Page>& page = pages_[number >> kPageShift];
    const size_t index = number & kMask;
    page->used[index / kWordBits] &= ~(uint64_t{1} << (index % kWordBits));
    page->items[index] = T();
    if (--page->count == 0) page = nullptr;
    --size_;
  }

  size_t size() const { return size_; }
  // Greater than all numbers that are there.
  size_t number_end() const { return pages_.size() * kPageSize; }

  // Calls visit(number, element) for each element, numbers ascending.
  template <typename Visit>
  void ForEach(Visit visit) const {
    ForEachFrom(0, UINT32_MAX, visit);
  }
  // The same for the numbers from `first` to `last`, both inclusive.
  template <typename Visit>
  void ForEachFrom(uint32_t first, uint32_t last, Visit visit) const {
    for (size_t page = first >> kPageShift; page < pages_.size() && page <= last >> kPageShift;
         ++page) {
      if (pages_[page] == nullptr) continue;
      for (size_t word = 0; word < kWords; ++word) {
        for (uint64_t left = pages_[page]->used[word]; left != 0; left &= left - 1) {
          const size_t index = word * kWordBits + static_cast<size_t>(std::countr_zero(left));
          const auto number = static_cast<uint32_t>(page << kPageShift | index);
          if (number >= first && number <= last) visit(number, pages_[page]->items[index]);
        }
      }
    }
  }

 private:
  static constexpr size_t kPageSize = size_t{1} << kPageShift;
  static constexpr size_t kMask = kPageSize - 1;
  static constexpr size_t kWordBits = 64;
  static constexpr size_t kWords = kPageSize / kWordBits;
  static_assert(kPageSize % kWordBits == 0);

  struct Page {
    bool Has(size_t index) const {
      return (used[index / kWordBits] >> (index % kWordBits) & 1) != 0;
    }

    std::array<T, kPageSize> items{};
    std::array<uint64_t, kWords> used{};
    uint32_t count = 0;
  };

  std::vector<std::unique_ptr<Page>> pages_;
  size_t size_ = 0;
};

}  // namespace lockstep
