#include "base/memory/huge_pages.h"

#include "base/memory/kept_blocks.h"

namespace lockstep {
namespace {

// The matrices of a job of 1,024 ranks over an hour; beyond that, computing takes far longer than
// clearing pages.
constexpr uint64_t kMostKeptBytes = uint64_t{512} << 20;

KeptBlocks& Kept() {
  static KeptBlocks& kept = *new KeptBlocks(kMostKeptBytes);
  return kept;
}

size_t BlockBytes(size_t bytes) {
  return (bytes + KeptBlocks::kBlockUnit - 1) / KeptBlocks::kBlockUnit * KeptBlocks::kBlockUnit;
}

}  // namespace

void* AllocateHuge(size_t bytes) {
  void* const kept = Kept().Take(BlockBytes(bytes));
  return kept != nullptr ? kept : KeptBlocks::AllocateBlock(BlockBytes(bytes));
}

void FreeHuge(void* memory, size_t bytes) { Kept().Keep(memory, BlockBytes(bytes)); }

void FreeIdleHuge() { Kept().FreeIdle(); }

}  // namespace lockstep
