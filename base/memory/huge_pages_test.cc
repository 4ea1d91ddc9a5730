#include "base/memory/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace lockstep {
namespace {

TEST(HugePagesTest, MemoryBeginsAtAHugePage) {
  constexpr size_t kBytes = size_t{3} << 20;
  void* const memory = AllocateHuge(kBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % (size_t{2} << 20), 0u);
  std::memset(memory, 1, kBytes);
  FreeHuge(memory, kBytes);
}

}  // namespace
}  // namespace lockstep
