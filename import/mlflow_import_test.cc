#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/delivery/session_testing.h"
#include "import/importers.h"
#include "import/mlflow/mlflow_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class MlflowImportTest : public testing::Test {
 protected:
  // A database of one run, and what the statements add.
  std::string Database(const std::string& sql) const {
    return folder_.Write("mlflow.db", mlflow::DatabaseOf(std::string(mlflow::kSchema) + sql));
  }
  absl::Status Run(const std::string& path) {
    report_ = {};
    const ImportSession session = test_.session();
    return ImportMlflow(path, hints_, session, report_);
  }

  const TestFolder folder_;
  TestSession test_;
  logs::LogHints hints_;
  ImportReport report_;
};

constexpr const char* kOneLoss = "INSERT INTO metrics VALUES ('loss', 2.5, 2000, 'r1', 7, 0);";

TEST_F(MlflowImportTest, ARunIsOfItsExperiment) {
  const absl::Status status = Run(Database(kOneLoss));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(test_.samples(),
              UnorderedElementsAre(
                  "train_loss{attempt=\"0\", job=\"exp\", run=\"r1\"} 2.5@2000",
                  "lockstep_step{attempt=\"0\", job=\"exp\", run=\"r1\"} 7@2000",
                  "mlflow_run_info{attempt=\"0\", experiment=\"exp\", id=\"r1\", job=\"exp\", "
                  "name=\"first\", run=\"r1\"} 1@1000"));
  EXPECT_EQ(report_.format, "mlflow");
  EXPECT_THAT(report_.remarks, ElementsAre("1 runs"));
  EXPECT_TRUE(report_.is_whole());
}

TEST_F(MlflowImportTest, WhatTheUserSaysCountsMore) {
  hints_.job = "j";
  hints_.run = "r";
  hints_.rank = 3;
  ASSERT_TRUE(Run(Database(kOneLoss)).ok());
  EXPECT_THAT(
      test_.samples(),
      testing::Contains("train_loss{attempt=\"0\", job=\"j\", rank=\"3\", run=\"r\"} 2.5@2000"));
}

TEST_F(MlflowImportTest, ARunThatNeverStartedHasNoInfo) {
  ASSERT_TRUE(Run(Database("UPDATE runs SET start_time = 0;" + std::string(kOneLoss))).ok());
  EXPECT_EQ(test_.samples().size(), 2u);
}

TEST_F(MlflowImportTest, EachRunHasItsInfoOnce) {
  ASSERT_TRUE(Run(Database(std::string(kOneLoss) +
                           "INSERT INTO metrics VALUES ('loss', 2, 3000, 'r1', 8, 0);"
                           "INSERT INTO runs VALUES ('r2', 'second', 1, 'active', 1);"
                           "INSERT INTO metrics VALUES ('loss', 2, 3000, 'r2', 8, 0);"))
                  .ok());
  EXPECT_EQ(test_.samples().size(), 8u);
  EXPECT_THAT(report_.remarks, ElementsAre("2 runs"));
}

TEST_F(MlflowImportTest, OneNameDoesNotFitTwoRuns) {
  const std::string path = Database(
      "INSERT INTO runs VALUES ('r2', 'second', 1, 'active', 1);"
      "INSERT INTO metrics VALUES ('loss', 2, 3000, 'r2', 8, 0);" +
      std::string(kOneLoss));
  hints_.run = "r";
  const absl::Status status = Run(path);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(Message(status), "it contains 2 runs, which --run would merge into one: omit --run");
}

TEST_F(MlflowImportTest, SaysWhatIsLeftOut) {
  ASSERT_TRUE(Run(Database(std::string(kOneLoss) +
                           "INSERT INTO metrics VALUES ('loss', 2, 3000, 'gone', 8, 0);"
                           "INSERT INTO metrics VALUES ('loss', 'x', 3000, 'r1', 8, 0);"
                           "INSERT INTO metrics VALUES ('loss', 'y', 3000, 'r1', 9, 0);"
                           "INSERT INTO runs VALUES ('r2', 'second', 1, 'deleted', 1);"
                           "INSERT INTO metrics VALUES ('loss', 2, 3000, 'r2', 8, 0);"))
                  .ok());
  EXPECT_THAT(report_.remarks, ElementsAre("1 runs", "1 values of deleted runs were left out"));
  EXPECT_THAT(test_.complaints,
              ElementsAre("1 values of runs that are not in the database", "2 malformed values"));
  EXPECT_EQ(report_.left_out, 3u);
}

TEST_F(MlflowImportTest, MustBeAFileOfMlflow) {
  EXPECT_EQ(Message(Run("/dev/null")), "an MLflow database must be a regular file, not a stream");
  EXPECT_FALSE(Run(folder_.Write("x", "SQLite format 3")).ok());
  EXPECT_EQ(report_.format, "");
}

TEST_F(MlflowImportTest, StopsIfTheServerRefuses) {
  test_.answer = [](const TestSession::Request&) { return Reply{403, "", "no"}; };
  EXPECT_TRUE(absl::IsFailedPrecondition(Run(Database(kOneLoss))));
}

}  // namespace
}  // namespace lockstep::importer
