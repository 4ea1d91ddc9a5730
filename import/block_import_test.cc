#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "absl/strings/str_format.h"
#include "import/delivery/session_testing.h"
#include "import/files/importing_testing.h"
#include "import/importers.h"
#include "tests/support/source_dir.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A block that promtool wrote: 5 series with 950 samples. See import/tsdb_blocks/testdata.
class BlockImportTest : public testing::Test {
 protected:
  BlockImportTest() : block_(folder_.path() + "/block") {
    std::filesystem::copy(SourcePath("import/tsdb_blocks/testdata/block"), block_,
                          std::filesystem::copy_options::recursive);
  }

  absl::Status Run() {
    report_ = {};
    const ImportSession session = test_.session();
    return ImportBlock(block_, session, report_);
  }
  uint64_t BlockBytes() const {
    uint64_t bytes = 0;
    for (const char* name : {"index", "chunks/000001", "tombstones"}) {
      bytes += std::filesystem::file_size(block_ + "/" + name);
    }
    return bytes;
  }
  void WriteResumePoint(uint64_t done) const {
    folder_.Write("block.lockstep-offset",
                  absl::StrFormat("lockstep-import 1\nidentity %d\ndone %d\n", BlockBytes(), done));
  }

  const TestFolder folder_;
  const std::string block_;
  TestSession test_;
  ImportReport report_;
};

TEST_F(BlockImportTest, SendsEverySample) {
  const absl::Status status = Run();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(test_.samples().size(), 950u);
  EXPECT_EQ(test_.requests.size(), 1u);
  EXPECT_EQ(report_.counts.samples(), 950u);
  EXPECT_EQ(report_.counts.series(), 5u);
  EXPECT_EQ(report_.file_bytes, BlockBytes());
  EXPECT_EQ(report_.read_bytes, BlockBytes());
  EXPECT_TRUE(report_.is_whole());
  EXPECT_THAT(report_.remarks, IsEmpty());
}

TEST_F(BlockImportTest, TheTombstonesMayBeAbsent) {
  std::filesystem::remove(block_ + "/tombstones");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(report_.counts.samples(), 950u);
}

TEST_F(BlockImportTest, TheIndexMustBeThere) {
  std::filesystem::remove(block_ + "/index");
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(Message(status),
            absl::StrFormat("cannot read %s/index: No such file or directory", block_));
}

TEST_F(BlockImportTest, WithoutChunksNothingIsWhole) {
  std::filesystem::remove_all(block_ + "/chunks");
  EXPECT_TRUE(Run().ok());
  EXPECT_EQ(report_.counts.samples(), 0u);
  EXPECT_EQ(report_.left_out, 8u);
  EXPECT_THAT(report_.remarks, ElementsAre("8 damaged chunks"));
  EXPECT_EQ(test_.complaints.size(), 1u);
  EXPECT_THAT(test_.requests, IsEmpty());
}

TEST_F(BlockImportTest, OneDamagedChunkIsLeftOut) {
  const std::string path = block_ + "/chunks/000001";
  std::string bytes = BytesOf(path);
  bytes[bytes.size() - 6] ^= 0x10;
  folder_.Write("block/chunks/000001", bytes);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(report_.left_out, 1u);
  EXPECT_THAT(report_.remarks, ElementsAre("1 damaged chunks"));
  EXPECT_LT(report_.counts.samples(), 950u);
  EXPECT_GT(report_.counts.samples(), 0u);
}

TEST_F(BlockImportTest, GoesOnAfterTheSeriesThatAreDone) {
  WriteResumePoint(3);
  test_.resumes = true;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(report_.done_before, 3u);
  EXPECT_EQ(report_.counts.series(), 2u);
  EXPECT_FALSE(std::filesystem::exists(block_ + ".lockstep-offset"));
}

TEST_F(BlockImportTest, NothingIsLeftOfABlockThatIsDone) {
  WriteResumePoint(5);
  test_.resumes = true;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(report_.done_before, 5u);
  EXPECT_THAT(test_.requests, IsEmpty());
}

TEST_F(BlockImportTest, AnotherBlockIsNotResumed) {
  folder_.Write("block.lockstep-offset", "lockstep-import 1\nidentity 1\ndone 3\n");
  test_.resumes = true;
  EXPECT_TRUE(absl::IsFailedPrecondition(Run()));
}

TEST_F(BlockImportTest, StopsIfTheServerRefuses) {
  test_.answer = [](const TestSession::Request&) { return Reply{403, "", "no"}; };
  EXPECT_TRUE(absl::IsFailedPrecondition(Run()));
}

}  // namespace
}  // namespace lockstep::importer
