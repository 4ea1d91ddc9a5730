// KeptBlocks: freed blocks of huge pages, kept for a moment for the next ones of the same size.
//
// The kernel clears each page that it hands out. A question about a large job uses a dozen matrices
// of the same size for a fraction of a second, and clearing their pages was a fifth of its time.
// What is kept counts as a cache in the memory budget and gives way to everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/budget/memory_budget.h"
#include "base/mutex.h"

namespace lockstep {

// Thread-safe.
class KeptBlocks {
 public:
  // Keeps at most `max_bytes`, and at most half of what `memory` has for caches.
  explicit KeptBlocks(uint64_t max_bytes, MemoryBudget& memory = MemoryBudget::OfProcess());
  ~KeptBlocks();
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  // A kept block of exactly that size, or null. Its content is undefined.
  void* Take(size_t bytes);
  // Keeps a block from AllocateBlock(), or frees it.
  void Keep(void* block, size_t bytes);
  // Frees the blocks that were kept before the previous call and not taken since.
  void FreeIdle();

  // Precondition: a multiple of kBlockUnit bytes.
  static constexpr size_t kBlockUnit = size_t{2} << 20;
  static void* AllocateBlock(size_t bytes);

 private:
  struct Block {
    void* memory = nullptr;
    size_t bytes = 0;
    uint64_t round = 0;  // of FreeIdle() in which it was kept
  };

  void FreeOldest() LOCKSTEP_REQUIRES(mutex_);
  void GiveWay(uint64_t bytes);

  const uint64_t max_bytes_;
  MemoryBudget& memory_;
  Mutex mutex_;
  std::deque<Block> blocks_ LOCKSTEP_GUARDED_BY(mutex_);  // oldest first
  uint64_t byte_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  uint64_t round_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  const uint64_t cache_number_;  // last member: from here on, others can make this cache shrink
};

}  // namespace lockstep
