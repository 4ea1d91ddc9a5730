// BodyBudget: the bytes of request bodies that all connections together may hold. They count as memory for decoding,
// too (base/memory_budget.h).
//
// Safe from any thread. A Lease gives back what it took when it ends, and must not outlive its
// budget.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/memory_budget.h"

namespace lockstep::server {

class BodyBudget {
 public:
  class Lease {
   public:
    Lease() = default;
    explicit Lease(BodyBudget& budget) : budget_(&budget), memory_(MemoryAccount::kDecoding) {}
    Lease(Lease&& other) noexcept
        : budget_(other.budget_),
          held_bytes_(std::exchange(other.held_bytes_, 0)),
          memory_(std::move(other.memory_)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(held_bytes_, other.held_bytes_);
      std::swap(memory_, other.memory_);
      return *this;
    }
    ~Lease() {
      if (held_bytes_ > 0) budget_->held_bytes_.fetch_sub(held_bytes_, std::memory_order_relaxed);
    }

    // False, and nothing taken, if the budget has not that much left.
    [[nodiscard]] bool Grow(uint64_t bytes) {
      if (!budget_->TryTake(bytes)) return false;
      if (!memory_.Add(bytes).ok()) {
        budget_->held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
      }
      held_bytes_ += bytes;
      return true;
    }

   private:
    BodyBudget* budget_ = nullptr;
    uint64_t held_bytes_ = 0;
    MemoryCharge memory_;
  };

  explicit BodyBudget(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  uint64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }

 private:
  bool TryTake(uint64_t bytes) {
    const uint64_t before = held_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= max_bytes_) return true;
    held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  const uint64_t max_bytes_;
  std::atomic<uint64_t> held_bytes_{0};
};

}  // namespace lockstep::server
