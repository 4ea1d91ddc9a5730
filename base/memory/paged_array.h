// PagedArray: an array that grows by whole pages, so that growing neither moves elements nor needs
// room for two copies. References live until Clear(). Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep {

template <typename T, size_t kPageShift>
class PagedArray {
 public:
  size_t size() const { return size_; }
  T& operator[](size_t i) { return pages_[i >> kPageShift][i & kMask]; }
  const T& operator[](size_t i) const { return pages_[i >> kPageShift][i & kMask]; }

  // Appends a value-initialised element.
  T& Grow() {
    if ((size_ >> kPageShift) == pages_.size()) {
      pages_.push_back(std::make_unique<T[]>(size_t{1} << kPageShift));
    }
    return (*this)[size_++];
  }

 private:
  static constexpr size_t kMask = (size_t{1} << kPageShift) - 1;

  std::vector<std::unique_ptr<T[]>> pages_;
  size_t size_ = 0;
};

}  // namespace lockstep
