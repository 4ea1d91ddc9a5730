#include "cli/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cli/help/version.h"
#include "cli/process/ran_testing.h"

namespace lockstep::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Ran RunWith(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "lockstep");
  return RunCaptured(
      [&arguments] { return RunProgram(static_cast<int>(arguments.size()), arguments.data()); });
}

TEST(ProgramTest, ExplainsItselfIfNothingIsAsked) {
  const Ran ran = RunWith({});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.errors, StartsWith("Metrics store and query server for fleets that train large "
                                     "models.\n\nUsage: lockstep VERB [FLAGS]\n\nVerbs:\n"));
  EXPECT_THAT(ran.errors,
              EndsWith("\nExit status: 0 done; 1 failed; 2 bad command line or configuration; 3 "
                       "imported, but some files,\nlines or samples were skipped.\n"));
}

TEST(ProgramTest, HelpIsOnStandardOutput) {
  for (const char* flag : {"-h", "--help"}) {
    const Ran ran = RunWith({flag});
    EXPECT_EQ(ran.code, kSuccess);
    EXPECT_THAT(ran.out, StartsWith("Metrics store and query server"));
    EXPECT_EQ(ran.errors, "");
  }
}

TEST(ProgramTest, VerbsHaveTheirOwnHelp) {
  const Ran ran = RunWith({"rules", "check", "--help"});
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_THAT(ran.out, StartsWith("Check rule files for errors.\n\nUsage: "));
  EXPECT_THAT(ran.out, HasSubstr("check [FLAGS] FILE...\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("Exit status")));
}

TEST(ProgramTest, TellsItsVersion) {
  const Ran ran = RunWith({"--version"});
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out, VersionLine() + "\n");
}

TEST(ProgramTest, RunsTheVerbThatIsTyped) {
  const Ran ran = RunWith({"version"});
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.out, VersionText());
  EXPECT_EQ(RunWith({"check"}).code, kUsage);
}

TEST(ProgramTest, SaysWhatIsWrong) {
  Ran ran = RunWith({"qeury", "up"});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.errors,
            "lockstep has no verb \"qeury\"; did you mean query?\nSee: lockstep help\n");
  ran = RunWith({"query", "--tiem", "5", "up"});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors,
            "lockstep query has no flag --tiem; did you mean --time?\nSee: lockstep "
            "help query\n");
}

TEST(ProgramTest, HasAllVerbs) {
  const std::string out = RunWith({"help"}).out;
  for (const char* verb :
       {"demo", "serve", "check", "healthy", "backup", "restore", "jobs", "ranks", "report",
        "query", "mcp", "import", "tail", "rules", "help", "version", "completion"}) {
    EXPECT_THAT(out, HasSubstr(std::string("\n  ") + verb + " "));
  }
}

}  // namespace
}  // namespace lockstep::cli
