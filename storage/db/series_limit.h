// SeriesLimit: how many series a store may know, all shards together. Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep {

class SeriesLimit {
 public:
  // 0: no limit.
  explicit SeriesLimit(uint64_t max_series = 0) : max_series_(max_series) {}
  SeriesLimit(const SeriesLimit&) = delete;
  SeriesLimit& operator=(const SeriesLimit&) = delete;

  // Counts one series more, unless the limit is reached.
  [[nodiscard]] bool Take() {
    uint64_t count = count_.load(std::memory_order_relaxed);
    do {
      if (max_series_ > 0 && count >= max_series_) return false;
    } while (!count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
    return true;
  }
  // Counts one that is there already, be it beyond the limit.
  void Add() { count_.fetch_add(1, std::memory_order_relaxed); }
  void GiveBack(uint64_t count) { count_.fetch_sub(count, std::memory_order_relaxed); }

  uint64_t max_series() const { return max_series_; }
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  const uint64_t max_series_;
  std::atomic<uint64_t> count_{0};
};

}  // namespace lockstep
