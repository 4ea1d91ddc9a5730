#include "profile/heap_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/read_profile.h"

namespace lockstep::profile {
namespace {

using testing::ElementsAre;

TEST(HeapProfileTest, DividesWhatIsAllocated) {
  HeapState state{.allocated_bytes = 1000, .free_bytes = 50, .budget = {}, .time_ns = 1};
  state.budget.accounts[static_cast<size_t>(MemoryAccount::kQueries)].held_bytes = 300;
  const ReadProfile profile = ParseProfile(HeapProfile(state));
  EXPECT_THAT(profile.sample_types, ElementsAre("free_space/bytes", "inuse_space/bytes"));
  ASSERT_EQ(profile.samples.size(), 3u);
  EXPECT_THAT(profile.samples[0].functions,
              ElementsAre(Name(MemoryAccount::kQueries), "allocated", "lockstep"));
  EXPECT_THAT(profile.samples[0].values, ElementsAre(0, 300));
  EXPECT_THAT(profile.samples[1].functions, ElementsAre("in no account", "allocated", "lockstep"));
  EXPECT_THAT(profile.samples[1].values, ElementsAre(0, 700));
  EXPECT_THAT(profile.samples[2].functions, ElementsAre("free", "lockstep"));
  EXPECT_THAT(profile.samples[2].values, ElementsAre(50, 0));
}

TEST(HeapProfileTest, AccountsAreNeverMoreThanTheWhole) {
  HeapState state{.allocated_bytes = 100, .free_bytes = 0, .budget = {}, .time_ns = 1};
  for (MemoryAccountStats& account : state.budget.accounts) account.held_bytes = 70;
  int64_t sum = 0;
  for (const ReadSample& sample : ParseProfile(HeapProfile(state)).samples) sum += sample.values[1];
  EXPECT_EQ(sum, 100);
}

TEST(HeapProfileTest, SaysWhenAndWhatTheNamesMean) {
  const HeapState state{.allocated_bytes = 1, .free_bytes = 0, .budget = {}, .time_ns = 1234};
  const std::string packed = HeapProfile(state);
  const std::string plain = Gunzip(packed);
  EXPECT_EQ(FieldsOf(plain).find(9)->second.number, 1234u);
  EXPECT_EQ(FieldsOf(plain).find(10)->second.number, 0u);
  EXPECT_THAT(ParseProfile(packed).comments,
              ElementsAre("Names stand for accounts of the memory budget, not for functions."));
  EXPECT_EQ(ParseProfile(packed).samples.size(), 1u);
}

}  // namespace
}  // namespace lockstep::profile
