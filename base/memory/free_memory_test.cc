#include "base/memory/free_memory.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace lockstep {
namespace {

using Blocks = std::vector<std::unique_ptr<char[]>>;

Blocks MakeBlocks(size_t byte_count) {
  constexpr size_t kBlockBytes = 1 << 10;
  Blocks blocks(byte_count / kBlockBytes);
  for (auto& block : blocks) {
    block = std::make_unique<char[]>(kBlockBytes);
    std::memset(block.get(), 1, kBlockBytes);
  }
  return blocks;
}

TEST(FreeMemoryWatch, ReturnsWhatWasFreedAndNothingThatIsInUse) {
  FreeMemoryWatch watch;
  (void)watch.Look();
  Blocks blocks = MakeBlocks(size_t{200} << 20);
  EXPECT_FALSE(watch.Look()) << "all of it is in use";
  // One block stays after the others, so that the allocator returns nothing on its own.
  std::unique_ptr<char[]> last = std::move(blocks.back());
  blocks.clear();
  EXPECT_TRUE(watch.Look());
  EXPECT_FALSE(watch.Look()) << "all of it is returned";
  Blocks more = MakeBlocks(size_t{100} << 20);
  std::unique_ptr<char[]> more_last = std::move(more.back());
  more.clear();
  EXPECT_TRUE(watch.Look()) << "once more";
}

TEST(FreeMemoryWatch, LeavesLittleAlone) {
  FreeMemoryWatch watch;
  (void)watch.Look();
  Blocks blocks = MakeBlocks(size_t{16} << 20);
  std::unique_ptr<char[]> last = std::move(blocks.back());
  blocks.clear();
  EXPECT_FALSE(watch.Look());
}

}  // namespace
}  // namespace lockstep
