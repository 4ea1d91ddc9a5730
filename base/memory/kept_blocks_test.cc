#include "base/memory/kept_blocks.h"

#include <gtest/gtest.h>

#include <array>

namespace lockstep {
namespace {

constexpr size_t kBytes = 2 * KeptBlocks::kBlockUnit;

class KeptBlocksTest : public testing::Test {
 protected:
  void* Keep(size_t bytes = kBytes) {
    void* const block = KeptBlocks::AllocateBlock(bytes);
    kept_.Keep(block, bytes);
    return block;
  }
  bool Has(void* block, size_t bytes = kBytes) {
    void* const taken = kept_.Take(bytes);
    if (taken != nullptr) kept_.Keep(taken, bytes);
    return taken == block && taken != nullptr;
  }
  uint64_t HeldBytes() const {
    return memory_.stats().accounts[static_cast<size_t>(MemoryAccount::kCaches)].held_bytes;
  }

  MemoryBudget memory_{64 * kBytes};
  KeptBlocks kept_{2 * kBytes, memory_};
};

TEST_F(KeptBlocksTest, ABlockIsTakenOnceAndOnlyForItsSize) {
  void* const block = Keep();
  EXPECT_EQ(HeldBytes(), kBytes);
  EXPECT_EQ(kept_.Take(2 * kBytes), nullptr);
  EXPECT_EQ(kept_.Take(kBytes / 2), nullptr);
  EXPECT_EQ(kept_.Take(kBytes), block);
  EXPECT_EQ(HeldBytes(), 0u);
  EXPECT_EQ(kept_.Take(kBytes), nullptr);
  kept_.Keep(block, kBytes);
}

TEST_F(KeptBlocksTest, BeyondTheLimitTheOldestGoes) {
  for (int i = 0; i < 3; ++i) Keep();
  EXPECT_EQ(HeldBytes(), 2 * kBytes);
  Keep(4 * kBytes);
  EXPECT_EQ(HeldBytes(), 0u);
}

TEST_F(KeptBlocksTest, HalfOfTheMemoryOfCachesIsLeftToOthers) {
  memory_.set_max_bytes(16 * kBytes);
  for (int i = 0; i < 2; ++i) Keep();
  EXPECT_EQ(HeldBytes(), kBytes);
}

TEST_F(KeptBlocksTest, GivesWayToRequests) {
  Keep();
  memory_.Add(MemoryAccount::kDecoding, 46 * kBytes);
  ASSERT_EQ(HeldBytes(), kBytes);
  // All that queries may have, less what the other requests hold.
  EXPECT_TRUE(memory_.Take(MemoryAccount::kQueries, 10 * kBytes, 0).ok());
  EXPECT_EQ(HeldBytes(), 0u);
}

TEST_F(KeptBlocksTest, IdleBlocksAreFreed) {
  void* const block = Keep();
  kept_.FreeIdle();
  EXPECT_TRUE(Has(block));
  kept_.FreeIdle();
  EXPECT_TRUE(Has(block));
  kept_.FreeIdle();
  kept_.FreeIdle();
  EXPECT_EQ(HeldBytes(), 0u);
}

}  // namespace
}  // namespace lockstep
