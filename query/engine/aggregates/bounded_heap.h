// BoundedHeap: the k best values of a stream, with the worst of them on top.
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

// NaN is worse than any number. Follows the sift rules of Go's container/heap, so that the choice
// between equal values is the same as in Prometheus.
class BoundedHeap {
 public:
  explicit BoundedHeap(RankOrder order) : order_(order) {}

  // Clears the heap and keeps the best `capacity` values from now on. Precondition: capacity > 0.
  void Reset(size_t capacity);
  void Offer(RankedElement element);
  // Best first; equal values in heap order. After this, Reset() must be called before the next
  // Offer().
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
