#include "base/memory/kept_blocks.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace lockstep {
namespace {

constexpr std::align_val_t kHugePage{KeptBlocks::kBlockUnit};

void FreeBlock(void* block) { ::operator delete(block, kHugePage); }

}  // namespace

KeptBlocks::KeptBlocks(uint64_t max_bytes, MemoryBudget& memory)
    : max_bytes_(max_bytes),
      memory_(memory),
      cache_number_(memory.AddCache([this](uint64_t bytes) { GiveWay(bytes); })) {}

KeptBlocks::~KeptBlocks() {
  memory_.RemoveCache(cache_number_);
  GiveWay(max_bytes_);
}

void* KeptBlocks::AllocateBlock(size_t bytes) {
  void* const block = ::operator new(bytes, kHugePage);
  // A kernel without huge pages gives small ones, which work as well but are slower.
  madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

void* KeptBlocks::Take(size_t bytes) {
  MutexLock lock(mutex_);
  // The newest is the most likely to be in the processor's caches.
  const auto found = std::ranges::find(blocks_.rbegin(), blocks_.rend(), bytes, &Block::bytes);
  if (found == blocks_.rend()) return nullptr;
  void* const block = found->memory;
  blocks_.erase(std::prev(found.base()));
  byte_count_ -= bytes;
  memory_.GiveBack(MemoryAccount::kCaches, bytes);
  ASAN_UNPOISON_MEMORY_REGION(block, bytes);
  return block;
}

void KeptBlocks::Keep(void* block, size_t bytes) {
  // The other half is for caches of answers.
  const uint64_t max_bytes = std::min(max_bytes_, memory_.MaxBytesOf(MemoryAccount::kCaches) / 2);
  MutexLock lock(mutex_);
  while (!blocks_.empty() && byte_count_ + bytes > max_bytes) FreeOldest();
  if (byte_count_ + bytes > max_bytes || !memory_.TakeSpare(MemoryAccount::kCaches, bytes)) {
    return FreeBlock(block);
  }
  ASAN_POISON_MEMORY_REGION(block, bytes);
  blocks_.push_back({block, bytes, round_});
  byte_count_ += bytes;
}

void KeptBlocks::FreeOldest() {
  const Block& oldest = blocks_.front();
  byte_count_ -= oldest.bytes;
  memory_.GiveBack(MemoryAccount::kCaches, oldest.bytes);
  ASAN_UNPOISON_MEMORY_REGION(oldest.memory, oldest.bytes);
  FreeBlock(oldest.memory);
  blocks_.pop_front();
}

void KeptBlocks::FreeIdle() {
  MutexLock lock(mutex_);
  while (!blocks_.empty() && blocks_.front().round < round_) FreeOldest();
  ++round_;
}

void KeptBlocks::GiveWay(uint64_t bytes) {
  MutexLock lock(mutex_);
  const uint64_t before = byte_count_;
  while (!blocks_.empty() && before - byte_count_ < bytes) FreeOldest();
}

}  // namespace lockstep
