// The flags of the verbs that start a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_format.h"
#include "cli/command_line.h"
#include "tests/cli/forked_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServeVerbTest : public ::testing::Test {
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
  // Fails because the server cannot start; what it says.
  static std::string ErrorOfServe(const std::string& flags) {
    Forked serve([&flags] { return RunLine("serve " + flags); });
    EXPECT_NE(serve.Wait(), kSuccess);
    return serve.errors();
  }

  const TestFolder folder_;
};

TEST_F(ServeVerbTest, ServeTakesItsSettingsAsFlags) {
  EXPECT_EQ(ErrorOfServe("--http nowhere"),
            "lockstep: flag --http: http: \"nowhere\" is not an address like 127.0.0.1:9009\n");
  EXPECT_EQ(ErrorOfServe("--storage.shards 999"),
            "lockstep: flag --storage.shards: storage.shards: \"999\" is not a whole number from 0 "
            "to 256\n");
  EXPECT_THAT(ErrorOfServe("--storage.shard 9"), HasSubstr("--storage.shard"));
}

TEST_F(ServeVerbTest, ServeTakesAFileThatFlagsOverride) {
  const std::string file = folder_.Write("l.yml", "storage: {shards: 999}\n");
  EXPECT_EQ(ErrorOfServe("--config " + file),
            absl::StrFormat("lockstep: %s line 1: storage.shards: \"999\" is not a whole number "
                            "from 0 to 256\n",
                            file));
  EXPECT_EQ(ErrorOfServe("--config /does/not/exist"),
            "lockstep: cannot read \"/does/not/exist\"\n");
}

TEST_F(ServeVerbTest, ASwitchNeedsNoValue) {
  const std::string data = folder_.path() + "/absent";
  const std::string serve = "--http 127.0.0.1:0 --data " + data;
  // A store must exist to be opened for reading.
  EXPECT_THAT(ErrorOfServe(serve + " --storage.read-only"), HasSubstr("cannot serve"));
  EXPECT_THAT(ErrorOfServe(serve + " --storage.read-only=true"), HasSubstr("cannot serve"));
  EXPECT_THAT(ErrorOfServe(serve + " --storage.read-only=maybe"),
              HasSubstr("\"maybe\" is neither true nor false"));
  EXPECT_FALSE(std::filesystem::exists(data));
}

TEST_F(ServeVerbTest, DemoTakesAnAddress) {
  Forked demo([] { return RunLine("demo --once --http nowhere"); });
  EXPECT_EQ(demo.Wait(), kUsage);
  EXPECT_THAT(demo.errors(), StartsWith("lockstep: flag --http: http: \"nowhere\""));
}

}  // namespace
}  // namespace lockstep::cli
