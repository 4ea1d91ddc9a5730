// Imports of the recorded traces; import/traces tests what is in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "import/delivery/session_testing.h"
#include "import/importers.h"
#include "tests/support/source_dir.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class TraceImportTest : public testing::Test {
 protected:
  absl::Status Run(FileKind kind, const std::string& path) {
    report_ = {};
    auto source = ByteSource::Open(path);
    EXPECT_TRUE(source.ok());
    const ImportSession session = test_.session();
    return ImportTrace(**source, kind, hints_, session, report_);
  }
  std::string Recorded(const std::string& name) const {
    return SourcePath("import/traces/testdata/" + name);
  }

  const TestFolder folder_;
  TestSession test_;
  logs::LogHints hints_;
  ImportReport report_;
};

TEST_F(TraceImportTest, OfTensorboard) {
  hints_.job = "j";
  const absl::Status status =
      Run(FileKind::kTensorboard, Recorded("tensorboard/hf_trainer.tfevents"));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(report_.counts.samples(), 0u);
  EXPECT_EQ(test_.samples().size(), report_.counts.samples());
  EXPECT_THAT(test_.samples(), Contains(StartsWith("train_loss{attempt=\"0\", job=\"j\"}")));
  EXPECT_EQ(report_.read_bytes,
            std::filesystem::file_size(Recorded("tensorboard/hf_trainer.tfevents")));
  EXPECT_TRUE(report_.is_whole());
}

TEST_F(TraceImportTest, OfATruncatedTensorboard) {
  ASSERT_TRUE(Run(FileKind::kTensorboard, Recorded("tensorboard/truncated.tfevents")).ok());
  EXPECT_GT(report_.counts.samples(), 0u);
  EXPECT_EQ(report_.left_out, 1u);
  ASSERT_EQ(test_.complaints.size(), 1u);
  EXPECT_THAT(test_.complaints[0], testing::MatchesRegex("1 x .*, first at byte [1-9][0-9]*"));
}

TEST_F(TraceImportTest, OfKineto) {
  const std::string path = Recorded("kineto/rank0.pt.trace.json");
  ASSERT_TRUE(Run(FileKind::kKineto, path).ok());
  EXPECT_GT(report_.counts.samples(), 0u);
  EXPECT_EQ(test_.samples().size(), report_.counts.samples());
  EXPECT_EQ(report_.read_bytes, std::filesystem::file_size(path));
  EXPECT_THAT(test_.samples(), Contains(HasSubstr("rank=\"0\"")));
  // For each piece of the file, and for the request.
  EXPECT_GE(test_.progress_count, 2);
}

TEST_F(TraceImportTest, OfNsys) {
  ASSERT_TRUE(Run(FileKind::kNsys, Recorded("nsys/profile_cuda_gpu_kern_sum.csv")).ok());
  EXPECT_GT(report_.counts.samples(), 0u);
  EXPECT_EQ(test_.samples().size(), report_.counts.samples());
  EXPECT_THAT(report_.remarks, IsEmpty());
}

TEST_F(TraceImportTest, NamesTablesOfNsysThatAreNotRead) {
  ASSERT_TRUE(
      Run(FileKind::kNsys, folder_.Write("x.csv", "Start (ns),Color,Name\n1,red,a\n")).ok());
  EXPECT_THAT(report_.remarks, ElementsAre(StartsWith("not read: ")));
  EXPECT_THAT(report_.remarks[0], HasSubstr("Start (ns), Color, Name"));
  EXPECT_EQ(report_.counts.samples(), 0u);
}

TEST_F(TraceImportTest, StopsIfTheServerRefuses) {
  test_.answer = [](const TestSession::Request&) { return Reply{403, "", "no"}; };
  for (const auto& [kind, name] :
       {std::pair{FileKind::kTensorboard, "tensorboard/hf_trainer.tfevents"},
        std::pair{FileKind::kKineto, "kineto/rank0.pt.trace.json"},
        std::pair{FileKind::kNsys, "nsys/profile_cuda_gpu_kern_sum.csv"}}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(Run(kind, Recorded(name)))) << name;
  }
}

TEST_F(TraceImportTest, ComplaintsSayWhereTheyAre) {
  test_.answer = [](const TestSession::Request&) { return Reply{400, "", "no"}; };
  ASSERT_TRUE(Run(FileKind::kTensorboard, Recorded("tensorboard/hf_trainer.tfevents")).ok());
  EXPECT_THAT(test_.complaints,
              ElementsAre("samples after the first 0: the server answered 400: no"));
}

}  // namespace
}  // namespace lockstep::importer
