#include "base/memory/huge_pages.h"

#include <sys/mman.h>

namespace lockstep {
namespace {

constexpr std::align_val_t kHugePage{size_t{2} << 20};

}  // namespace

void* AllocateHuge(size_t bytes) {
  void* const memory = ::operator new(bytes, kHugePage);
  // A kernel without huge pages gives small ones, which work as well but are slower.
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void FreeHuge(void* memory) { ::operator delete(memory, kHugePage); }

}  // namespace lockstep
