#include "base/line_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "base/log.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

class LineFileTest : public testing::Test {
 protected:
  LineFileTest() {
    std::filesystem::create_directory(folder_.path() + "/sub");
    ConfigureLog(LogLevel::kInfo, LogFormat::kLogfmt);
  }

  std::unique_ptr<LineFile> Open() {
    auto file = LineFile::Open(path_, "query log", 0600);
    EXPECT_TRUE(file.ok()) << file.status();
    return *std::move(file);
  }
  static std::string Content(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }
  // What the server's log says while a line is added.
  static std::string LoggedWhileAdding(LineFile& file, std::string_view line) {
    testing::internal::CaptureStderr();
    file.Add(line);
    return testing::internal::GetCapturedStderr();
  }

  const TestFolder folder_;
  const std::string path_ = folder_.path() + "/sub/lines.log";
};

TEST_F(LineFileTest, LinesFollowThoseThatWereThere) {
  std::ofstream(path_) << "old\n";
  const auto file = Open();
  file->Add("a\n");
  file->Add("b\n");
  EXPECT_EQ(Content(path_), "old\na\nb\n");
}

TEST_F(LineFileTest, ANewFileHasItsMode) {
  const auto file = Open();
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(LineFileTest, AFileThatWasMovedAwayIsFollowedByANewOne) {
  const auto file = Open();
  file->Add("a\n");
  std::filesystem::rename(path_, path_ + ".1");
  file->Add("b\n");
  file->Add("c\n");
  EXPECT_EQ(Content(path_ + ".1"), "a\n");
  EXPECT_EQ(Content(path_), "b\nc\n");
  // Another file under its name.
  std::filesystem::rename(path_, path_ + ".2");
  std::ofstream(path_) << "x\n";
  file->Add("d\n");
  EXPECT_EQ(Content(path_ + ".2"), "b\nc\n");
  EXPECT_EQ(Content(path_), "x\nd\n");
}

TEST_F(LineFileTest, WhatCannotBeOpenedIsNamed) {
  const auto file = LineFile::Open(folder_.path() + "/none/x", "query log", 0600);
  EXPECT_EQ(file.status(), absl::UnavailableError("cannot open the query log " + folder_.path() +
                                                  "/none/x: No such file or directory"));
}

TEST_F(LineFileTest, TheFirstOfSeveralFailuresIsLogged) {
  const auto file = Open();
  EXPECT_EQ(LoggedWhileAdding(*file, "a\n"), "");
  const std::string away = folder_.path() + "/away";
  const auto check_failure = [&] {
    EXPECT_THAT(LoggedWhileAdding(*file, "lost\n"),
                testing::HasSubstr("level=warn msg=\"cannot write a line to a log file\" "
                                   "error=\"cannot open the query log " +
                                   path_ + ": No such file or directory\""));
    EXPECT_EQ(LoggedWhileAdding(*file, "lost\n"), "");
  };
  std::filesystem::rename(folder_.path() + "/sub", away);
  check_failure();
  std::filesystem::rename(away, folder_.path() + "/sub");
  EXPECT_EQ(LoggedWhileAdding(*file, "b\n"), "");
  EXPECT_EQ(Content(path_), "a\nb\n");
  std::filesystem::rename(folder_.path() + "/sub", away);
  check_failure();
}

TEST_F(LineFileTest, AFullDiskIsAFailure) {
  auto file = LineFile::Open("/dev/full", "audit log", 0600);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(
      LoggedWhileAdding(**file, "a\n"),
      testing::HasSubstr("cannot write to the audit log /dev/full: No space left on device"));
}

}  // namespace
}  // namespace lockstep
