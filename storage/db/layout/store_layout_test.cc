#include "storage/db/layout/store_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/db/layout/slot.h"
#include "storage/db/layout/text_line.h"
#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreLayoutTest : public ::testing::Test {
 protected:
  std::string MessageOfManifest() {
    return std::string(Message(ReadManifest(data_, *env_).status()));
  }

  const TestFolder folder_;
  const std::string data_ = folder_.path() + "/data";
  const std::shared_ptr<kv::Env> env_ = kv::FaultEnv::Make();
};

TEST_F(StoreLayoutTest, HasItsNames) {
  EXPECT_EQ(ManifestPath("/d"), "/d/STORE");
  EXPECT_EQ(ShardName(7), "shard-007");
  EXPECT_EQ(ShardName(4095), "shard-4095");
  EXPECT_EQ(ShardFolder("/d", 12), "/d/shard-012");
  EXPECT_EQ(SnapshotFolder("/d", "now"), "/d/snapshots/now");
}

TEST_F(StoreLayoutTest, ShardsAreTheFoldersWithTheirNames) {
  EXPECT_FALSE(ShardsIn(data_, *env_).ok());
  ASSERT_TRUE(env_->CreateFolder(data_).ok());
  EXPECT_THAT(*ShardsIn(data_, *env_), IsEmpty());
  for (const char* name : {"/shard-001", "/snapshots", "/shard-000", "/a-shard-002"}) {
    ASSERT_TRUE(env_->CreateFolder(data_ + name).ok());
  }
  EXPECT_THAT(*ShardsIn(data_, *env_), ElementsAre("shard-000", "shard-001"));
}

TEST_F(StoreLayoutTest, SaysWhyThereIsNoManifest) {
  EXPECT_EQ(MessageOfManifest(), "there is no store in " + data_);
  ASSERT_TRUE(env_->CreateFolder(data_ + "/other").ok());
  EXPECT_EQ(MessageOfManifest(), "there is no store in " + data_);
  EXPECT_TRUE(absl::IsNotFound(ReadManifest(data_, *env_).status()));
  ASSERT_TRUE(env_->CreateFolder(data_ + "/shard-000").ok());
  EXPECT_EQ(MessageOfManifest(),
            data_ +
                "/STORE is missing beside its shards: it was lost, or a restore into this folder "
                "did not finish. Restore the store from a backup into a new folder");
  EXPECT_TRUE(absl::IsDataLoss(ReadManifest(data_, *env_).status()));
}

TEST_F(StoreLayoutTest, NamesTheManifestThatIsDamaged) {
  ASSERT_TRUE(env_->CreateFolder(data_).ok());
  const auto message_of = [this](const std::string& text) {
    EXPECT_TRUE(env_->WriteFile(ManifestPath(data_), text).ok());
    return MessageOfManifest();
  };
  const std::string path = ManifestPath(data_) + ": ";
  const std::string reader = "read by lockstep 0.1.0\n";
  const auto with_checksum = [](const std::string& text) { return text + ChecksumLine(text); };
  EXPECT_EQ(message_of(""), path + "not the manifest of a lockstep store");
  EXPECT_EQ(message_of("lockstep store 1\n"), path + "the manifest is malformed");
  EXPECT_EQ(message_of("lockstep store 1\n" + reader), path + "the manifest is malformed");
  EXPECT_EQ(message_of("lockstep store 1\n" + reader + "shards 2\nchecksum 00000000\n"),
            path + "the manifest is damaged: checksum mismatch");
  for (const char* count : {"0", "4097", "x", "-1", "1x"}) {
    EXPECT_EQ(message_of(with_checksum("lockstep store 1\n" + reader + "shards " + count + "\n")),
              path + "the manifest's shard count is malformed");
  }
  EXPECT_EQ(message_of(with_checksum("lockstep store 1\n" + reader + "shards 4096\n")), "");
  EXPECT_EQ(ReadManifest(data_, *env_)->shard_count, 4096u);
}

TEST(TextLine, IsANameABlankAndAValue) {
  std::string_view text = "time 5\nbytes 7\n";
  std::string_view value;
  EXPECT_FALSE(ConsumeLine(text, "bytes", value));
  EXPECT_FALSE(ConsumeLine(text, "tim", value));
  EXPECT_FALSE(ConsumeLine(text, "time 5", value));
  EXPECT_EQ(text, "time 5\nbytes 7\n");
  ASSERT_TRUE(ConsumeLine(text, "time", value));
  EXPECT_EQ(value, "5");
  EXPECT_EQ(text, "bytes 7\n");
  uint32_t number = 0;
  ASSERT_TRUE(ConsumeNumber(text, "bytes", number));
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(text, "");
  text = "bytes 7";
  EXPECT_FALSE(ConsumeLine(text, "bytes", value));
}

TEST(ReadNumber, TakesTheWholeText) {
  uint8_t number = 0;
  EXPECT_TRUE(ReadNumber("255", number));
  EXPECT_EQ(number, 255);
  for (const char* text : {"", "256", "1x", " 1", "-1", "+1"}) {
    EXPECT_FALSE(ReadNumber(text, number)) << text;
  }
}

}  // namespace
}  // namespace lockstep
