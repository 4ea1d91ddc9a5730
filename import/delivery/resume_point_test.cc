#include "import/delivery/resume_point.h"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_format.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using Use = ResumePoint::Use;

class ResumePointTest : public testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/x.txt"; }
  void Write(const std::string& text) const { std::ofstream(ResumePath(Path())) << text; }
  std::string Written() const {
    std::ifstream file(ResumePath(Path()));
    return file ? std::string(std::istreambuf_iterator<char>(file), {}) : "none";
  }

  const TestFolder folder_;
};

TEST_F(ResumePointTest, IsKeptBesideTheFile) {
  auto point = ResumePoint::Open(Path(), 77, Use::kReadAndWrite);
  ASSERT_TRUE(point.ok());
  EXPECT_EQ(point->done(), 0u);
  EXPECT_EQ(Written(), "none");
  ASSERT_TRUE(point->Advance(5).ok());
  EXPECT_EQ(point->done(), 5u);
  EXPECT_EQ(Written(), "lockstep-import 1\nidentity 77\ndone 5\n");
  ASSERT_TRUE(point->Advance(6).ok());
  EXPECT_EQ(ResumePoint::Open(Path(), 77, Use::kReadAndWrite)->done(), 6u);
  EXPECT_FALSE(std::filesystem::exists(ResumePath(Path()) + ".new"));
  point->Remove();
  EXPECT_EQ(Written(), "none");
}

TEST_F(ResumePointTest, MayBeOnlyRead) {
  Write("lockstep-import 1\nidentity 77\ndone 5\n");
  auto point = ResumePoint::Open(Path(), 77, Use::kRead);
  ASSERT_TRUE(point.ok());
  EXPECT_EQ(point->done(), 5u);
  ASSERT_TRUE(point->Advance(6).ok());
  EXPECT_EQ(point->done(), 6u);
  point->Remove();
  EXPECT_EQ(Written(), "lockstep-import 1\nidentity 77\ndone 5\n");
}

TEST_F(ResumePointTest, MayBeUnused) {
  Write("something else");
  auto point = ResumePoint::Open(Path(), 77, Use::kNone);
  ASSERT_TRUE(point.ok());
  EXPECT_EQ(point->done(), 0u);
  ASSERT_TRUE(point->Advance(6).ok());
  point->Remove();
  EXPECT_EQ(Written(), "something else");
}

TEST_F(ResumePointTest, BelongsToOneFile) {
  Write("lockstep-import 1\nidentity 77\ndone 5\n");
  const absl::Status status = ResumePoint::Open(Path(), 78, Use::kRead).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Message(status),
            absl::StrFormat("\"%s\" belongs to another import; delete it to start over",
                            ResumePath(Path())));
}

TEST_F(ResumePointTest, MustBeOne) {
  for (const char* text :
       {"", "lockstep-import 1\nidentity 77\n", "lockstep-import 2\nidentity 77\ndone 5\n",
        "lockstep-export 1\nidentity 77\ndone 5\n", "lockstep-import 1\nsize 77\ndone 5\n",
        "lockstep-import 1\nidentity 77\nbegun 5\n", "lockstep-import 1\nidentity 77\ndone x\n"}) {
    Write(text);
    const absl::Status status = ResumePoint::Open(Path(), 77, Use::kRead).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << text;
    EXPECT_EQ(Message(status),
              absl::StrFormat("\"%s\" is not a resume point; delete it to start over",
                              ResumePath(Path())));
  }
}

TEST_F(ResumePointTest, MustBeWritable) {
  auto point = ResumePoint::Open(folder_.path() + "/absent/x", 77, Use::kReadAndWrite);
  ASSERT_TRUE(point.ok());
  EXPECT_EQ(Message(point->Advance(1)),
            absl::StrFormat("cannot write \"%s/absent/x.lockstep-offset.new\"", folder_.path()));
  auto in_the_way = ResumePoint::Open(folder_.path() + "/y", 77, Use::kReadAndWrite);
  std::filesystem::create_directory(folder_.path() + "/y.lockstep-offset");
  EXPECT_TRUE(absl::IsUnavailable(in_the_way->Advance(1)));
}

}  // namespace
}  // namespace lockstep::importer
