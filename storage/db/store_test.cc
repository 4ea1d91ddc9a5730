#include "storage/db/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "storage/db/store_testing.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kT = kTestNowMs;

TEST(Store, GivesBackWhatWasWritten) {
  kv::TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  const auto outcome = WriteFloats(*store, Series("m"), {{kT - 1, 1}, {kT, 2}});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->written_count, 2u);
  EXPECT_EQ(Dump(*store),
            "m{gpu=\"0\", job=\"train\", rank=\"0\"}: 1699999999999=3ff0000000000000 "
            "1700000000000=4000000000000000\n");
}

TEST(Store, FindsEverythingAfterReopening) {
  kv::TestFolder folder;
  auto store = MustOpen(TestOptions(folder));
  ASSERT_TRUE(WriteFloats(*store, Series("m"), {{kT - 1, 1}, {kT, 2}}).ok());
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(TestOptions(folder));
  EXPECT_EQ(Dump(*store), before);
}

TEST(Store, SealingChangesNoAnswer) {
  kv::TestFolder folder;
  auto store = MustOpen(TestOptions(folder));
  for (int rank = 0; rank < 200; ++rank) {
    std::vector<Sample> samples;
    for (int i = 0; i < 50; ++i) samples.push_back({kT - 60'000 * i, 0.5 * i + rank});
    ASSERT_TRUE(WriteFloats(*store, Series("m", "train", rank), samples).ok());
  }
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Seal().ok());
  EXPECT_EQ(store->stats().head_sample_count, 0u);
  EXPECT_EQ(store->stats().sealed_chunks, 200u);
  EXPECT_EQ(Dump(*store), before);
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(TestOptions(folder));
  EXPECT_EQ(store->stats().head_sample_count, 0u);
  EXPECT_EQ(Dump(*store), before);
}

}  // namespace
}  // namespace lockstep
