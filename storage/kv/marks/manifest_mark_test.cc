#include "storage/kv/marks/manifest_mark.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep::kv {
namespace {

TEST(ManifestMark, IsTheLineOfItsPage) {
  const std::string line = "MANIFEST-000012 bytes 345\n";
  EXPECT_EQ(FormatManifestMark({"MANIFEST-000012", 345}), line);
  EXPECT_EQ(ParseManifestMark(line)->file_name, "MANIFEST-000012");
  EXPECT_EQ(ParseManifestMark(line)->byte_count, 345u);
  for (const std::string text : {"", "MANIFEST-000012", "MANIFEST-000012 bytes \n",
                                 "MANIFEST-000012 bytes 345", "MANIFEST-000012 bytes 345\n\n"}) {
    EXPECT_EQ(ParseManifestMark(text).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

// A store whose rows are in a table and no longer in any log.
class CutManifest : public ::testing::Test {
 protected:
  CutManifest() {
    const auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    manifest_ = folder_.path() + "/" + *env_->ReadFile(folder_.path() + "/CURRENT");
    manifest_.pop_back();
    size_before_flush_ = std::filesystem::file_size(manifest_);
    Batch batch = (*store)->NewBatch();
    batch.Put(Space::kSeries, "key", "value");
    EXPECT_TRUE((*store)->Commit(batch, Durability::kSynced).ok());
    EXPECT_TRUE((*store)->Flush().ok());
    EXPECT_TRUE((*store)->Close().ok());
  }

  absl::StatusOr<std::unique_ptr<Store>> Open() {
    return Store::Open(folder_.path(), env_, resources_);
  }
  void Cut() { std::filesystem::resize_file(manifest_, size_before_flush_); }

  TestFolder folder_;
  std::shared_ptr<Env> env_ = Env::Default();
  std::shared_ptr<const Resources> resources_ = std::make_shared<Resources>(ResourceLimits{});
  std::string manifest_;
  uint64_t size_before_flush_ = 0;
};

// A record as long as the first one; only its beginning reached the disk.
TEST_F(CutManifest, IsOpenedWithALastRecordThatEndsInZeros) {
  const std::string manifest = *env_->ReadFile(manifest_);
  const auto length = static_cast<uint8_t>(manifest[4]) | static_cast<uint8_t>(manifest[5]) << 8;
  std::string record = manifest.substr(0, 12);
  record.resize(7 + static_cast<size_t>(length), '\0');
  ASSERT_TRUE(env_->WriteFile(manifest_, manifest + record).ok());
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(*(*store)->Get(Space::kSeries, "key"), "value");
}

TEST_F(CutManifest, IsNotOpenedWithALastRecordOfOtherBytes) {
  const std::string manifest = *env_->ReadFile(manifest_);
  const auto length = static_cast<uint8_t>(manifest[4]) | static_cast<uint8_t>(manifest[5]) << 8;
  std::string record = manifest.substr(0, 12);
  record.resize(7 + static_cast<size_t>(length), '\1');
  ASSERT_TRUE(env_->WriteFile(manifest_, manifest + record).ok());
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CutManifest, IsNotOpened) {
  Cut();
  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss) << store.status();
  EXPECT_NE(Message(store.status()).find(manifest_), std::string::npos) << store.status();
}

// The reason for the mark.
TEST_F(CutManifest, IsOpenedByRocksDbWithoutTheRow) {
  Cut();
  std::filesystem::remove(folder_.path() + "/MANIFEST-MARK");
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_FALSE((*store)->Get(Space::kSeries, "key")->has_value());
}

TEST_F(CutManifest, IsMissed) {
  std::filesystem::remove(manifest_);
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CutManifest, IsNotReplacedByAnEmptyStore) {
  std::filesystem::remove(folder_.path() + "/CURRENT");
  const auto store = Open();
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss) << store.status();
}

}  // namespace
}  // namespace lockstep::kv
