#include "query/engine/aggregates/bounded_heap.h"

#include <algorithm>

namespace lockstep::engine {

void BoundedHeap::Reset(size_t capacity) {
  capacity_ = capacity;
  heap_.clear();
}

void BoundedHeap::Offer(RankedElement element) {
  if (heap_.size() < capacity_) {
    heap_.push_back(element);
    SiftUp(heap_.size() - 1);
  } else if (IsBetterThanTop(element.value)) {
    heap_[0] = element;
    SiftDown(0);
  }
}

const std::vector<RankedElement>& BoundedHeap::Ranked() {
  const auto is_better = [this](const RankedElement& a, const RankedElement& b) {
    if (std::isnan(a.value) || std::isnan(b.value))
      return !std::isnan(a.value) && std::isnan(b.value);
    return order_ == RankOrder::kLargestFirst ? a.value > b.value : a.value < b.value;
  };
  std::stable_sort(heap_.begin(), heap_.end(), is_better);
  return heap_;
}

bool BoundedHeap::IsWorse(const RankedElement& a, const RankedElement& b) const {
  if (std::isnan(a.value)) return true;
  return order_ == RankOrder::kLargestFirst ? a.value < b.value : a.value > b.value;
}

bool BoundedHeap::IsBetterThanTop(double value) const {
  const double top = heap_[0].value;
  if (std::isnan(top)) return !std::isnan(value);
  return order_ == RankOrder::kLargestFirst ? top < value : top > value;
}

void BoundedHeap::SiftUp(size_t at) {
  while (at > 0) {
    const size_t parent = (at - 1) / 2;
    if (!IsWorse(heap_[at], heap_[parent])) return;
    std::swap(heap_[at], heap_[parent]);
    at = parent;
  }
}

void BoundedHeap::SiftDown(size_t at) {
  while (2 * at + 1 < heap_.size()) {
    size_t child = 2 * at + 1;
    if (child + 1 < heap_.size() && IsWorse(heap_[child + 1], heap_[child])) ++child;
    if (!IsWorse(heap_[child], heap_[at])) return;
    std::swap(heap_[at], heap_[child]);
    at = child;
  }
}

}  // namespace lockstep::engine
