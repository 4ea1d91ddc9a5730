// The verbs that run a server or work on its store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_format.h"
#include "cli/client/fake_server_testing.h"
#include "cli/command_line.h"
#include "cli/help/command_tree.h"
#include "cli/process/ran_testing.h"
#include "cli/server/small_store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServerVerbsTest : public ::testing::Test {
 protected:
  static ExitCode RunLine(const std::string& line) {
    CLI::App program("A store.", "lockstep");
    program.require_subcommand(1);
    Verbs verbs;
    AddDemoVerb(program, verbs);
    AddServerVerbs(program, verbs);
    try {
      program.parse(line);
    } catch (const CLI::ParseError& error) {
      std::fputs(error.what(), stderr);
      return kUsage;
    }
    return verbs.RunParsed();
  }
  static Ran Run(const std::string& line) {
    return RunCaptured([&line] { return RunLine(line); });
  }
  const TestFolder folder_;
};

TEST_F(ServerVerbsTest, HelpShowsTheDefaultsOfSettings) {
  CLI::App program("A store.", "lockstep");
  Verbs verbs;
  AddServerVerbs(program, verbs);
  const Command serve = TreeOf(*program.get_subcommand("serve"), "lockstep serve");
  const auto flag = [&serve](const std::string& name) {
    for (const CommandFlag& each : serve.flags) {
      if (each.names.front() == name) return each;
    }
    ADD_FAILURE() << name;
    return CommandFlag();
  };
  EXPECT_EQ(flag("--query.timeout").help, "How long one query may take. [2m]");
  EXPECT_EQ(flag("--query.timeout").value_name, "DURATION");
  EXPECT_EQ(flag("--query.timeout").value, FlagValue::kRequired);
  EXPECT_EQ(flag("--web.external-url").help.back(), '.');
  EXPECT_EQ(flag("--storage.read-only").value, FlagValue::kOptional);
}

TEST_F(ServerVerbsTest, CheckChecksOneThing) {
  const std::string error =
      "lockstep: check needs one of: config FILE, web-config FILE, --data DIR\n";
  Ran ran = Run("check");
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors, error);
  const std::string file = folder_.Write("a.yml", "");
  ran = Run("check --data x config " + file);
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors, error);
  EXPECT_EQ(Run("check config " + file).out, file + " is fine\n");
  folder_.Write("a.yml", "lockstep_bearer_tokens: {t: {sha256: " + std::string(64, 'a') + "}}\n");
  EXPECT_EQ(Run("check web-config " + file).code, kSuccess);
  EXPECT_EQ(Run("check config " + file).code, kUsage);
  EXPECT_THAT(Run("check config").errors, HasSubstr("FILE is required"));
  EXPECT_THAT(Run("check web-config").errors, HasSubstr("FILE is required"));
}

TEST_F(ServerVerbsTest, CheckReadsAStore) {
  const std::string data = folder_.path() + "/data";
  MakeStore(data, {{kStoredMs, 1}});
  const Ran ran = Run("check --data " + data);
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_THAT(ran.out, HasSubstr(data + " is fine\n"));
}

TEST_F(ServerVerbsTest, HealthyTakesAServer) {
  FakeServer server;
  server.Prepare("/-/healthy", "ok");
  EXPECT_EQ(Run("healthy --url " + server.url()).code, kSuccess);
  EXPECT_EQ(server.asked().size(), 1u);
}

TEST_F(ServerVerbsTest, BackupTakesAFolder) {
  FakeServer server;
  server.PrepareData("/api/v1/admin/backup", R"({"number":1,"timeMs":0,"bytes":1,"shards":1})");
  EXPECT_EQ(Run("backup --to /b --keep 2 --url " + server.url()).code, kSuccess);
  EXPECT_EQ(server.bodies("/api/v1/admin/backup").at(0), "to=%2Fb&keep=2");
  EXPECT_THAT(Run("backup").errors, HasSubstr("--to is required"));
  EXPECT_THAT(Run("backup --to /b --keep 0").errors, HasSubstr("--keep"));
  EXPECT_THAT(Run("backup --to /b --list --data x").errors, HasSubstr("excludes"));
}

TEST_F(ServerVerbsTest, BackupsOfAStoppedServerAreMadeListedAndRestored) {
  const mode_t before = umask(0);
  umask(before);
  const std::string data = folder_.path() + "/data";
  const std::string backups = folder_.path() + "/backups";
  MakeStore(data, {{kStoredMs, 1}});
  EXPECT_THAT(Run("backup --to " + backups + " --data " + data).out, StartsWith("backup 1: "));
  EXPECT_THAT(Run("backup --to " + backups + " --list").out, StartsWith("backup  made"));
  const std::string restore = "restore --from " + backups + " --data " + folder_.path();
  EXPECT_THAT(Run(restore + "/new --backup 1").out, StartsWith("restored backup 1 to "));
  EXPECT_EQ(Run(restore + "/newer --backup 2").code, kFailure);
  EXPECT_THAT(Run(restore + "/newer --backup 0").errors, HasSubstr("--backup"));
  EXPECT_THAT(Run("restore --from x").errors, HasSubstr("--data is required"));
  EXPECT_THAT(Run("restore --data x").errors, HasSubstr("--from is required"));
  umask(before);
}

}  // namespace
}  // namespace lockstep::cli
