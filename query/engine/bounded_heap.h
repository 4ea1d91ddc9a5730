// BoundedHeap: the k best of a stream of values, the worst of them on top.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::engine {

struct RankedElement {
  double value = 0;
  uint32_t index = 0;  // the caller's
};

enum class RankOrder { kLargestFirst, kSmallestFirst };

// NaN is worse than any number. Which of equal values stay when there are too many follows from the
// binary heap of Go's container/heap, whose sift rules are kept, so that answers equal Prometheus'.
class BoundedHeap {
 public:
  explicit BoundedHeap(RankOrder order) : order_(order) {}

  // Forgets all; from now on the best `capacity` are kept. Precondition: capacity > 0.
  void Reset(size_t capacity);
  void Offer(RankedElement element);
  // Best first, equal ones in the order in which the heap held them. Nothing may be offered behind it
  // before the next Reset().
  const std::vector<RankedElement>& Ranked();

 private:
  bool IsWorse(const RankedElement& a, const RankedElement& b) const;
  bool IsBetterThanTop(double value) const;
  void SiftUp(size_t at);
  void SiftDown(size_t at);

  const RankOrder order_;
  size_t capacity_ = 0;
  std::vector<RankedElement> heap_;
};

}  // namespace lockstep::engine
