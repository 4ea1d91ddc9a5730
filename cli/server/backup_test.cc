#include "cli/server/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "cli/server/small_store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kBackupPath = "/api/v1/admin/backup";

Ran RunBackup(const BackupFlags& flags) {
  return RunCaptured([&flags] { return Backup(flags); });
}

Ran RunRestore(const RestoreFlags& flags) {
  return RunCaptured([&flags] { return Restore(flags); });
}

class BackupByServerTest : public ::testing::Test {
 protected:
  BackupByServerTest() {
    flags_.server = server_.options();
    flags_.folder = "/backups/of a";
  }

  std::string ErrorWith(const FakeServer::Reply& reply) {
    FakeServer server;
    server.Prepare(kBackupPath, reply);
    flags_.server = server.options();
    const Ran ran = RunBackup(flags_);
    EXPECT_EQ(ran.code, kFailure);
    EXPECT_EQ(ran.out, "");
    return ran.errors;
  }

  FakeServer server_;
  BackupFlags flags_;
};

TEST_F(BackupByServerTest, ReportsTheServersSummary) {
  server_.PrepareData(kBackupPath,
                      R"({"number":7,"timeMs":1700000000000,"bytes":1234567,"shards":4})");
  flags_.keep_count = 3;
  const Ran ran = RunBackup(flags_);
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out, "backup 7: 1,234,567 bytes of 4 shards, as of 2023-11-14 22:13:20Z\n");
  EXPECT_THAT(server_.bodies(kBackupPath), ElementsAre("to=%2Fbackups%2Fof%20a&keep=3"));
  EXPECT_EQ(server_.requests()[0].header("Content-Type"), "application/x-www-form-urlencoded");
}

TEST_F(BackupByServerTest, TheServerGetsAnAbsoluteFolder) {
  server_.PrepareData(kBackupPath, R"({"number":1,"timeMs":0,"bytes":1,"shards":1})");
  flags_.folder = "x/../here";
  RunBackup(flags_);
  const std::string here = (std::filesystem::current_path() / "here").string();
  EXPECT_THAT(server_.bodies(kBackupPath), ElementsAre("to=" + PercentEncode(here) + "&keep=0"));
}

TEST_F(BackupByServerTest, PrintsTheServersError) {
  EXPECT_EQ(ErrorWith({R"({"status":"error","error":"disk full"})", 500}),
            "lockstep: the server answered 500: disk full\n");
  EXPECT_EQ(ErrorWith({R"({"status":"error","error":"admin APIs disabled"})", 403}),
            "lockstep: the server answered 403: admin APIs disabled; start it with "
            "--web.enable-admin-api\n");
}

TEST_F(BackupByServerTest, PrintsTheBeginningOfAnotherResponse) {
  EXPECT_EQ(ErrorWith({std::string(250, '<'), 502}),
            "lockstep: the server answered 502: " + std::string(200, '<') + "\n");
  for (const char* body : {R"({"data":{"timeMs":1,"bytes":1,"shards":1}})",
                           R"({"data":{"number":1,"bytes":1,"shards":1}})",
                           R"({"data":{"number":1,"timeMs":1,"shards":1}})",
                           R"({"data":{"number":1,"timeMs":1,"bytes":1}})", "[]"}) {
    EXPECT_EQ(ErrorWith({body, 200}),
              absl::StrFormat("lockstep: the server answered 200: %s\n", body));
  }
}

class BackupOfStoppedTest : public ::testing::Test {
 protected:
  BackupOfStoppedTest() : umask_(umask(0)) {
    umask(umask_);
    MakeStore(Data(), {{kStoredMs - 5000, 1}, {kStoredMs, 2}});
  }
  // The verbs keep their files private.
  ~BackupOfStoppedTest() override { umask(umask_); }

  std::string Data() const { return folder_.path() + "/data"; }
  std::string Backups() const { return folder_.path() + "/backups"; }
  Ran BackUp(size_t keep_count = 0) const {
    BackupFlags flags;
    flags.folder = Backups();
    flags.data_folder = Data();
    flags.keep_count = keep_count;
    return RunBackup(flags);
  }
  Ran ListBackups() const {
    BackupFlags flags;
    flags.folder = Backups();
    flags.list = true;
    return RunBackup(flags);
  }
  Ran RestoreTo(const std::string& name, uint32_t number = 0) const {
    return RunRestore({Backups(), folder_.path() + "/" + name, number});
  }

  const TestFolder folder_;
  const mode_t umask_;
};

TEST_F(BackupOfStoppedTest, BacksUpListsAndRestores) {
  const Ran made = BackUp();
  EXPECT_EQ(made.code, kSuccess) << made.errors;
  EXPECT_THAT(made.out, MatchesRegex("backup 1: [0-9,]+ bytes of 1 shards, as of "
                                     "20[0-9-]+ [0-9:]+Z\n"));
  const Ran listed = ListBackups();
  EXPECT_EQ(listed.code, kSuccess);
  EXPECT_THAT(listed.out, MatchesRegex("backup  made +shards +bytes\n"
                                       " +1  20[0-9-]+ [0-9:]+Z +1 +[0-9,]+\n"));
  const Ran restored = RestoreTo("again");
  EXPECT_EQ(restored.code, kSuccess) << restored.errors;
  EXPECT_EQ(restored.out,
            absl::StrFormat("restored backup 1 to %s/again: 1 series, samples from 2023-11-14 "
                            "22:13:15Z to 2023-11-14 22:13:20Z\n",
                            folder_.path()));
}

TEST_F(BackupOfStoppedTest, RestoresTheNamedOrTheLatestBackup) {
  BackUp();
  BackUp();
  EXPECT_THAT(RestoreTo("one", 1).out, testing::StartsWith("restored backup 1 to "));
  EXPECT_THAT(RestoreTo("latest").out, testing::StartsWith("restored backup 2 to "));
  const Ran absent = RestoreTo("absent", 3);
  EXPECT_EQ(absent.code, kFailure);
  EXPECT_EQ(absent.out, "");
}

TEST_F(BackupOfStoppedTest, KeepsAllBackupsUnlessToldOtherwise) {
  BackUp();
  BackUp();
  EXPECT_THAT(ListBackups().out, HasSubstr("\n     1  "));
  BackUp(2);
  EXPECT_THAT(ListBackups().out, testing::Not(HasSubstr("\n     1  ")));
  EXPECT_THAT(ListBackups().out, HasSubstr("\n     2  "));
  EXPECT_THAT(ListBackups().out, HasSubstr("\n     3  "));
}

TEST_F(BackupOfStoppedTest, KeepsItsFilesPrivate) {
  std::filesystem::create_directory(Backups());
  BackUp();
  RestoreTo("again");
  for (const std::string& path : {Backups(), folder_.path() + "/again"}) {
    const auto mode = std::filesystem::status(path).permissions();
    EXPECT_EQ(mode & std::filesystem::perms::mask, std::filesystem::perms::owner_all) << path;
  }
}

TEST_F(BackupOfStoppedTest, DoesNotRestoreOverAStore) {
  BackUp();
  const Ran ran = RestoreTo("data");
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors, testing::StartsWith("lockstep: "));
}

TEST_F(BackupOfStoppedTest, AFolderWithoutBackupsIsLeftAlone) {
  EXPECT_EQ(ListBackups().code, kFailure);
  EXPECT_EQ(RestoreTo("again").code, kFailure);
  EXPECT_FALSE(std::filesystem::exists(Backups()));
  std::filesystem::create_directory(Backups());
  const Ran ran = RestoreTo("again");
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, "lockstep: the folder contains no backup\n");
  EXPECT_EQ(ListBackups().out, "backup  made  shards  bytes\n");
}

TEST_F(BackupOfStoppedTest, ThereMustBeAStore) {
  BackupFlags flags;
  flags.folder = Backups();
  flags.data_folder = folder_.path() + "/absent";
  const Ran ran = RunBackup(flags);
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace lockstep::cli
