// Memory for large arrays, in pages of 2 MiB if the kernel provides them.
//
// Walking a matrix across its rows touches another small page with each number, and a fresh page
// costs a fault for every 4 KiB written: huge pages reduce both by a factor of 512.
#pragma once

#include <cstddef>
#include <new>

namespace lockstep {

// Smaller arrays come from the ordinary allocator.
inline constexpr size_t kLeastHugeBytes = size_t{4} << 20;

// Precondition: at least kLeastHugeBytes. Uninitialised; ends the process, as `new` does, if there
// is no memory.
void* AllocateHuge(size_t bytes);
// Keeps the memory for a moment (kept_blocks.h). `bytes` is what was allocated.
void FreeHuge(void* memory, size_t bytes);
// Call it every few seconds: returns what was not used again since the previous call.
void FreeIdleHuge();

// For containers of numbers. Safe from any thread, like any stateless allocator.
template <typename T>
class HugePageAllocator {
 public:
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes < kLeastHugeBytes ? ::operator new(bytes) : AllocateHuge(bytes));
  }
  void deallocate(T* memory, size_t count) {
    if (count * sizeof(T) < kLeastHugeBytes) {
      ::operator delete(memory);
    } else {
      FreeHuge(memory, count * sizeof(T));
    }
  }

  // A container made with a size alone leaves its numbers uninitialised: whoever writes them first
  // also takes the page faults, and several threads may.
  template <typename U>
  void construct(U* number) {
    ::new (static_cast<void*>(number)) U;
  }

  bool operator==(const HugePageAllocator&) const { return true; }
};

}  // namespace lockstep
