#include "base/budget/memory_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

constexpr uint64_t kMiB = 1 << 20;

uint64_t HeldBytes(const MemoryBudget& budget, MemoryAccount account) {
  return budget.stats().accounts[static_cast<size_t>(account)].held_bytes;
}

TEST(MemoryBudget, TakesUpToAnAccountsShare) {
  MemoryBudget budget(64 * kMiB);
  EXPECT_EQ(budget.MaxBytesOf(MemoryAccount::kQueries), 32 * kMiB);
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, 15 * kMiB, 0).ok());
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, 15 * kMiB, 0).ok());
  // The last sixteenth is reserved for holders of little memory.
  EXPECT_EQ(budget.Take(MemoryAccount::kQueries, 2 * kMiB, 0),
            absl::UnavailableError("the memory for queries is used up (the limit is 32.0 MiB, "
                                   "--memory-limit); try again later"));
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, kMiB, 0).ok());
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, kMiB, 0).ok());
  EXPECT_TRUE(absl::IsUnavailable(budget.Take(MemoryAccount::kQueries, 1, 0)));
  budget.GiveBack(MemoryAccount::kQueries, kMiB);
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, 1, 0).ok());
}

TEST(MemoryBudget, TellsWhatIsTooLargeFromWhatHasNoRoomNow) {
  MemoryBudget budget(64 * kMiB);
  EXPECT_EQ(budget.Take(MemoryAccount::kForms, 3 * kMiB, 2 * kMiB),
            absl::ResourceExhaustedError(
                "the request needs at least 5.0 MiB of memory for forms, more than the limit of "
                "3.0 MiB (--memory-limit)"));
  EXPECT_TRUE(absl::IsResourceExhausted(
      budget.Take(MemoryAccount::kForms, std::numeric_limits<uint64_t>::max(), kMiB)));
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kForms), 0);
  EXPECT_EQ(budget.stats().accounts[static_cast<size_t>(MemoryAccount::kForms)].refusals, 2);
}

TEST(MemoryBudget, LimitsAllAccountsTogether) {
  MemoryBudget budget(64 * kMiB);
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, 24 * kMiB, 0).ok());
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, 6 * kMiB, 0).ok());
  EXPECT_TRUE(budget.Take(MemoryAccount::kDecoding, 24 * kMiB, 0).ok());
  EXPECT_TRUE(budget.Take(MemoryAccount::kDecoding, 5 * kMiB, 0).ok());
  EXPECT_TRUE(absl::IsUnavailable(budget.Take(MemoryAccount::kStreams, 2 * kMiB, 0)));
  EXPECT_TRUE(budget.Take(MemoryAccount::kStreams, kMiB, 0).ok());
  EXPECT_EQ(budget.stats().held_bytes, 60 * kMiB);
}

TEST(MemoryBudget, CachesGiveWayBeforeTheWholeIsRefused) {
  MemoryBudget budget(64 * kMiB);
  uint64_t cached = 0;
  const uint64_t cache = budget.AddCache([&](uint64_t bytes) {
    const uint64_t given = std::min(bytes, cached);
    budget.GiveBack(MemoryAccount::kCaches, given);
    cached -= given;
  });
  ASSERT_TRUE(budget.TakeSpare(MemoryAccount::kCaches, 8 * kMiB));
  cached = 8 * kMiB;
  EXPECT_FALSE(budget.TakeSpare(MemoryAccount::kCaches, 1));
  EXPECT_TRUE(budget.Take(MemoryAccount::kDecoding, 24 * kMiB, 0).ok());
  EXPECT_TRUE(budget.Take(MemoryAccount::kQueries, 20 * kMiB, 0).ok());
  EXPECT_EQ(cached, 8 * kMiB);
  EXPECT_TRUE(budget.Take(MemoryAccount::kScrapes, 12 * kMiB, 0).ok());
  EXPECT_EQ(cached, 0u);
  EXPECT_EQ(budget.stats().held_bytes, 56 * kMiB);
  // Nor does a cache take what others could use.
  EXPECT_FALSE(budget.TakeSpare(MemoryAccount::kCaches, 1));
  budget.RemoveCache(cache);
}

TEST(MemoryBudget, NewLargeQueriesGiveWayBeforeNewSeries) {
  MemoryBudget budget(64 * kMiB);
  budget.Add(MemoryAccount::kScrapes, 56 * kMiB);
  EXPECT_TRUE(absl::IsUnavailable(budget.Take(MemoryAccount::kQueries, 2 * kMiB, 0)));
  EXPECT_TRUE(budget.Take(MemoryAccount::kSeries, 2 * kMiB, 0).ok());
  budget.Add(MemoryAccount::kScrapes, 2 * kMiB);
  // Series leave the reserve to samples of known series, however few series there are.
  EXPECT_TRUE(absl::IsUnavailable(budget.Take(MemoryAccount::kSeries, 1, 0)));
  EXPECT_TRUE(budget.Take(MemoryAccount::kDecoding, kMiB, 0).ok());
}

TEST(MemoryBudget, OneHolderHasAllOfTheAccountOfSeries) {
  MemoryBudget budget(64 * kMiB);
  EXPECT_TRUE(budget.Take(MemoryAccount::kSeries, 32 * kMiB, 0).ok());
  EXPECT_FALSE(budget.Take(MemoryAccount::kSeries, 1, 0).ok());
  // Existing series count.
  budget.Add(MemoryAccount::kSeries, kMiB);
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kSeries), 33 * kMiB);
}

TEST(MemoryBudget, HasNoLimitUntilItIsGivenOne) {
  MemoryBudget budget;
  EXPECT_TRUE(budget.Take(MemoryAccount::kForms, uint64_t{1} << 50, 0).ok());
}

// docs/limits.md has the shares.
TEST(MemoryBudget, EachAccountHasItsShare) {
  const MemoryBudget budget(64 * kMiB);
  const struct {
    MemoryAccount account;
    uint64_t mebibytes;
    uint64_t of_one;
  } rows[] = {{MemoryAccount::kDecoding, 32, 24}, {MemoryAccount::kQueries, 32, 24},
              {MemoryAccount::kRegex, 8, 6},      {MemoryAccount::kForms, 4, 3},
              {MemoryAccount::kStreams, 8, 6},    {MemoryAccount::kExemplars, 4, 3},
              {MemoryAccount::kMetadata, 4, 3},   {MemoryAccount::kScrapes, 16, 12},
              {MemoryAccount::kSeries, 32, 32},   {MemoryAccount::kCaches, 8, 8}};
  for (const auto& row : rows) {
    EXPECT_EQ(budget.MaxBytesOf(row.account), row.mebibytes * kMiB) << Name(row.account);
    EXPECT_EQ(budget.MaxBytesOfOne(row.account), row.of_one * kMiB) << Name(row.account);
    EXPECT_EQ(budget.stats().accounts[static_cast<size_t>(row.account)].max_bytes,
              row.mebibytes * kMiB);
  }
  EXPECT_EQ(budget.stats().max_bytes, 64 * kMiB);
}

TEST(MemoryBudget, CachesLeaveAQuarterOfTheWhole) {
  MemoryBudget budget(64 * kMiB);
  budget.Add(MemoryAccount::kScrapes, 47 * kMiB);
  EXPECT_TRUE(budget.TakeSpare(MemoryAccount::kCaches, kMiB));
  EXPECT_FALSE(budget.TakeSpare(MemoryAccount::kCaches, 1));
  budget.GiveBack(MemoryAccount::kScrapes, 47 * kMiB);
  EXPECT_TRUE(budget.TakeSpare(MemoryAccount::kCaches, 7 * kMiB));
  EXPECT_FALSE(budget.TakeSpare(MemoryAccount::kCaches, 1));
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kCaches), 8 * kMiB);
}

TEST(MemoryBudget, CachesAreAskedForAtLeastFourMebibytes) {
  MemoryBudget budget(64 * kMiB);
  std::vector<uint64_t> asked;
  const uint64_t first = budget.AddCache([&](uint64_t bytes) { asked.push_back(bytes); });
  const uint64_t second = budget.AddCache([&](uint64_t bytes) { asked.push_back(bytes + 1); });
  budget.Add(MemoryAccount::kScrapes, 64 * kMiB);
  EXPECT_FALSE(budget.Take(MemoryAccount::kForms, kMiB, 0).ok());
  EXPECT_EQ(asked, (std::vector<uint64_t>{4 * kMiB, 4 * kMiB + 1}));
  budget.RemoveCache(first);
  EXPECT_FALSE(budget.Take(MemoryAccount::kDecoding, 5 * kMiB, 0).ok());
  EXPECT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked.back(), 5 * kMiB + 1);
  budget.RemoveCache(second);
  EXPECT_FALSE(budget.Take(MemoryAccount::kForms, kMiB, 0).ok());
  EXPECT_EQ(asked.size(), 3u);
  EXPECT_EQ(budget.stats().accounts[static_cast<size_t>(MemoryAccount::kForms)].refusals, 2u);
}

TEST(MemoryCharge, GrowsByChunks) {
  MemoryBudget budget(64 * kMiB);
  MemoryCharge charge(MemoryAccount::kDecoding, budget);
  constexpr uint64_t kChunk = 16 << 10;
  EXPECT_TRUE(charge.Add(kChunk).ok());
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), kChunk);
  EXPECT_TRUE(charge.Add(kChunk + 1).ok());
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), 3 * kChunk);
  EXPECT_TRUE(charge.Resize(kChunk + 1).ok());
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), 2 * kChunk);
  EXPECT_TRUE(charge.Resize(kChunk).ok());
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), kChunk);
  charge.Reset();
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), 0u);
  EXPECT_EQ(charge.bytes(), 0u);
  EXPECT_TRUE(charge.Add(1).ok());
  EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), kChunk);
}

TEST(MemoryCharge, GivesBackWhatItTook) {
  MemoryBudget budget(64 * kMiB);
  {
    MemoryCharge charge(MemoryAccount::kDecoding, budget);
    EXPECT_TRUE(charge.Add(1).ok());
    EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), 16 << 10);
    EXPECT_TRUE(charge.Add((16 << 10) - 1).ok());
    EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), 16 << 10);
    EXPECT_TRUE(absl::IsResourceExhausted(charge.Add(32 * kMiB)));
    EXPECT_EQ(charge.bytes(), 16 << 10);
    MemoryCharge moved = std::move(charge);
    EXPECT_TRUE(moved.Resize(3 * kMiB).ok());
    EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), 3 * kMiB);
    EXPECT_TRUE(moved.Resize(1).ok());
    EXPECT_EQ(HeldBytes(budget, MemoryAccount::kDecoding), 16 << 10);
  }
  EXPECT_EQ(budget.stats().held_bytes, 0);
}

TEST(MemoryCharge, WithoutAnAccountTakesNothing) {
  MemoryCharge none;
  EXPECT_TRUE(none.Add(uint64_t{1} << 60).ok());
  EXPECT_TRUE(none.Resize(0).ok());
}

TEST(MemoryBudget, NeverHoldsMoreThanItsLimitWhoeverTakes) {
  MemoryBudget budget(64 * kMiB);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&budget] {
        for (int round = 0; round < 1000; ++round) {
          MemoryCharge charge(MemoryAccount::kQueries, budget);
          while (charge.Add(kMiB).ok()) {
          }
          EXPECT_LE(charge.bytes(), 24 * kMiB);
        }
      });
    }
  }
  EXPECT_EQ(budget.stats().held_bytes, 0);
}

}  // namespace
}  // namespace lockstep
