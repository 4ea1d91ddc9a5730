#include "storage/kv/faults/power_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rocksdb/env.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr uint64_t kSeeds = 40;

// The content of the folder after a power cut, over many possible outcomes.
class PowerCut : public ::testing::Test {
 protected:
  using Work = std::function<void(rocksdb::Env& files, const std::string& folder)>;
  // "name=contents name=contents".
  std::set<std::string> Outcomes(const Work& work) {
    std::set<std::string> outcomes;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const TestFolder folder;
      const auto env = PowerEnv::Make(folder.path(), seed);
      work(*env->rocks(), folder.path() + "/");
      EXPECT_TRUE(env->RestorePower().ok());
      std::string outcome;
      const std::vector<std::string> names = *env->ListFolder(folder.path());
      for (const std::string& name : names) {
        outcome += name + "=" + *env->ReadFile(folder.path() + "/" + name) + " ";
      }
      outcomes.insert(outcome);
    }
    return outcomes;
  }
  static void Write(rocksdb::Env& files, const std::string& path, const std::string& contents,
                    bool is_synced) {
    EXPECT_TRUE(rocksdb::WriteStringToFile(&files, contents, path, is_synced).ok());
  }
  static void SyncFolder(rocksdb::Env& files, const std::string& folder) {
    std::unique_ptr<rocksdb::Directory> directory;
    EXPECT_TRUE(files.NewDirectory(folder.substr(0, folder.size() - 1), &directory).ok());
    EXPECT_TRUE(directory->Fsync().ok());
  }
};

TEST_F(PowerCut, LeavesWhatWasSyncedWithItsFolder) {
  EXPECT_THAT(Outcomes([](rocksdb::Env& files, const std::string& folder) {
                Write(files, folder + "a", "text", true);
                SyncFolder(files, folder);
              }),
              ElementsAre("a=text "));
}

TEST_F(PowerCut, MayTakeTheNameOfASyncedFile) {
  EXPECT_THAT(Outcomes([](rocksdb::Env& files, const std::string& folder) {
                Write(files, folder + "a", "text", true);
              }),
              ElementsAre("", "a=text "));
}

TEST_F(PowerCut, TearsWhatWasNotSynced) {
  const std::set<std::string> outcomes =
      Outcomes([](rocksdb::Env& files, const std::string& folder) {
        Write(files, folder + "a", "text", false);
        SyncFolder(files, folder);
      });
  EXPECT_THAT(outcomes, Each(StartsWith("a=")));
  EXPECT_THAT(outcomes, Contains("a= "));
  EXPECT_THAT(outcomes, Contains("a=te "));
  EXPECT_THAT(outcomes, Contains(std::string("a=te\0\0 ", 7)));
}

// A later change in a folder does not reach the disk before an earlier one.
TEST_F(PowerCut, KeepsTheOrderOfChangesInAFolder) {
  EXPECT_THAT(Outcomes([](rocksdb::Env& files, const std::string& folder) {
                Write(files, folder + "a", "1", true);
                SyncFolder(files, folder);
                Write(files, folder + "b.new", "2", true);
                EXPECT_TRUE(files.RenameFile(folder + "b.new", folder + "b").ok());
                EXPECT_TRUE(files.DeleteFile(folder + "a").ok());
              }),
              ElementsAre("a=1 ", "a=1 b.new=2 ", "a=1 b=2 ", "b=2 "));
}

TEST_F(PowerCut, MayBringBackWhatWasOverwrittenUnderOneName) {
  EXPECT_THAT(Outcomes([](rocksdb::Env& files, const std::string& folder) {
                Write(files, folder + "a", "old", true);
                SyncFolder(files, folder);
                Write(files, folder + "a.new", "new", true);
                EXPECT_TRUE(files.RenameFile(folder + "a.new", folder + "a").ok());
              }),
              ElementsAre("a=new ", "a=old ", "a=old a.new=new "));
}

TEST_F(PowerCut, ComesWithTheChangeThatItIsAskedFor) {
  const TestFolder folder;
  const auto env = PowerEnv::Make(folder.path(), 1);
  env->CutPowerAfter(3);
  // Created, written, synced.
  EXPECT_FALSE(env->WriteFile(folder.path() + "/a", "text").ok());
  EXPECT_TRUE(env->is_off());
  EXPECT_FALSE(env->WriteFile(folder.path() + "/b", "text").ok());
  ASSERT_TRUE(env->RestorePower().ok());
  EXPECT_FALSE(env->is_off());
  EXPECT_TRUE(env->WriteFile(folder.path() + "/b", "text").ok());
  EXPECT_THAT(*env->ListFolder(folder.path()), Contains("b"));
}

// The creation of a folder is a change like any other.
TEST_F(PowerCut, LeavesAStoreThatWasMadeAndHasACommit) {
  for (uint64_t seed = 1; seed <= kSeeds / 4; ++seed) {
    const TestFolder folder;
    const auto env = PowerEnv::Make(folder.path(), seed);
    const auto resources = std::make_shared<Resources>(ResourceLimits{});
    {
      const auto store = Store::Open(folder.path() + "/above/db", env, resources);
      ASSERT_TRUE(store.ok()) << store.status();
      Batch batch = (*store)->NewBatch();
      batch.Put(Space::kSeries, "key", "value");
      ASSERT_TRUE((*store)->Commit(batch, Durability::kSynced).ok());
      env->CutPowerAfter(1);
    }
    ASSERT_TRUE(env->RestorePower().ok());
    const auto store = Store::Open(folder.path() + "/above/db", env, resources);
    ASSERT_TRUE(store.ok()) << store.status() << " seed " << seed;
    EXPECT_TRUE((*store)->Get(Space::kSeries, "key")->has_value()) << seed;
  }
}

// A start may be interrupted by a power cut as well, and leave the log that it had begun.
TEST_F(PowerCut, LeavesAStoreThatOpensWhicheverChangeOfAStartIsTheLast) {
  constexpr uint64_t kMostChanges = 40;
  const auto resources = std::make_shared<Resources>(ResourceLimits{});
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const TestFolder folder;
    const auto env = PowerEnv::Make(folder.path(), seed);
    const auto open = [&] { return Store::Open(folder.path() + "/db", env, resources); };
    {
      const auto store = open();
      ASSERT_TRUE(store.ok()) << store.status();
      for (const Durability durability : {Durability::kSynced, Durability::kBuffered}) {
        Batch batch = (*store)->NewBatch();
        batch.Put(Space::kSeries, durability == Durability::kSynced ? "synced" : "torn", "value");
        ASSERT_TRUE((*store)->Commit(batch, durability).ok());
      }
      env->CutPowerAfter(1);
    }
    ASSERT_TRUE(env->RestorePower().ok());
    env->CutPowerAfter(1 + seed % kMostChanges);
    (void)open();
    ASSERT_TRUE(env->RestorePower().ok());
    const auto store = open();
    ASSERT_TRUE(store.ok()) << store.status() << " seed " << seed;
    EXPECT_TRUE((*store)->Get(Space::kSeries, "synced")->has_value()) << seed;
  }
}

}  // namespace
}  // namespace lockstep::kv
