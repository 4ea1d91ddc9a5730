#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>

#include "cli/client/fake_server_testing.h"
#include "cli/help/version.h"
#include "cli/process/ran_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The program without the verbs of a server.
class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() {
    setenv("LC_ALL", "C", 1);
    setenv("LOCKSTEP_URL", server_.url().c_str(), 1);
  }
  ~CommandLineTest() override { unsetenv("LOCKSTEP_URL"); }

  Ran Run(const std::string& line) {
    CLI::App program("A store.", "lockstep");
    program.require_subcommand(1);
    Verbs verbs;
    AddAskingVerbs(program, verbs);
    AddSendingVerbs(program, verbs);
    AddRulesVerbs(program, verbs);
    AddAboutVerbs(program, verbs);
    return RunCaptured([&] {
      try {
        program.parse(line);
      } catch (const CLI::ParseError& error) {
        std::fputs(error.what(), stderr);
        return kUsage;
      }
      return verbs.RunParsed();
    });
  }
  std::string ErrorOf(const std::string& line) {
    const Ran ran = Run(line);
    EXPECT_EQ(ran.code, kUsage) << line;
    EXPECT_THAT(server_.asked(), IsEmpty()) << line;
    return ran.errors;
  }

  FakeServer server_;
  const TestFolder folder_;
};

TEST_F(CommandLineTest, AVerbMustBeTyped) {
  EXPECT_NE(ErrorOf(""), "");
  EXPECT_EQ(Verbs().RunParsed(), kUsage);
}

TEST_F(CommandLineTest, QueryTakesATimeAndAnExpression) {
  server_.PrepareData("/api/v1/query", R"({"resultType":"scalar","result":[1,"2"]})");
  const Ran ran = Run("query --time 100 'up + 1'");
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_EQ(ran.out, "2\n");
  EXPECT_EQ(Run("query 1 --csv").out, "value\n2\n");
  EXPECT_THAT(Run("query 1 --json").out, StartsWith("{"));
  EXPECT_THAT(server_.bodies("/api/v1/query"),
              ElementsAre("query=up%20%2B%201&time=100", "query=1", "query=1"));
}

TEST_F(CommandLineTest, QueryTakesARange) {
  server_.PrepareData("/api/v1/query_range", R"({"resultType":"matrix","result":[]})");
  EXPECT_EQ(Run("query --time 100 --range 1m --step 30s --csv up").code, kSuccess);
  EXPECT_THAT(server_.bodies("/api/v1/query_range"),
              ElementsAre("query=up&start=40.000&end=100.000&step=30.000"));
}

TEST_F(CommandLineTest, QueryRefusesFlagsThatMakeNoSense) {
  EXPECT_THAT(ErrorOf("query"), HasSubstr("EXPR is required"));
  EXPECT_THAT(ErrorOf("query --step 30s up"), HasSubstr("--range"));
  EXPECT_THAT(ErrorOf("query --json --csv up"), HasSubstr("excludes"));
  for (const char* watch : {"0.09", "86401", "often"}) {
    EXPECT_THAT(ErrorOf(std::string("query up --watch=") + watch), HasSubstr(watch));
  }
}

TEST_F(CommandLineTest, TheServersOlderFlagStillWorks) {
  FakeServer other;
  other.PrepareData("/api/v1/query", R"({"resultType":"scalar","result":[1,"2"]})");
  EXPECT_EQ(Run("query --server " + other.url() + " 1").code, kSuccess);
  EXPECT_EQ(Run("query --url " + other.url() + " 1").code, kSuccess);
  EXPECT_EQ(other.asked().size(), 2u);
  EXPECT_THAT(server_.asked(), IsEmpty());
}

TEST_F(CommandLineTest, JobsTakesTimes) {
  server_.PrepareData("/api/v1/training/jobs", R"({"jobs":[]})");
  EXPECT_EQ(Run("jobs --start 1 --end 2 --json").out, "[]\n");
  EXPECT_EQ(server_.bodies("/api/v1/training/jobs").at(0), "start=1&end=2");
}

TEST_F(CommandLineTest, RanksTakesAJobAndTimes) {
  server_.PrepareData("/api/v1/training/jobs", R"({"jobs":[]})");
  EXPECT_EQ(Run("ranks a --start 1 --end 2").code, kFailure);
  EXPECT_EQ(server_.bodies("/api/v1/training/jobs").at(0), "job=a&start=1&end=2");
  EXPECT_THAT(Run("ranks").errors, HasSubstr("JOB is required"));
}

TEST_F(CommandLineTest, ReportTakesAJobTimesAndAPrice) {
  server_.Prepare("/api/v1/training/report", "text");
  EXPECT_EQ(Run("report a --start 1 --end 2 --price 3 --markdown").out, "text");
  EXPECT_EQ(Run("report a --json").out, "text\n");
  EXPECT_THAT(server_.bodies("/api/v1/training/report"),
              ElementsAre("job=a&start=1&end=2&price=3&format=markdown", "job=a&format=json"));
  EXPECT_THAT(Run("report a --json --markdown").errors, HasSubstr("excludes"));
  EXPECT_THAT(Run("report").errors, HasSubstr("JOB is required"));
}

TEST_F(CommandLineTest, ImportTakesPaths) {
  const std::string a = folder_.Write("a.txt", "a 1 1\n# EOF\n");
  const std::string b = folder_.Write("b.txt", "b 1 1000\n# EOF\n");
  const Ran ran = Run("import --dry-run --format prometheus " + a + " " + b);
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_THAT(ran.out, HasSubstr(b + ": prometheus: 1 samples of 1 series"));
  EXPECT_THAT(ran.out, HasSubstr("\nread 2 samples of 2 sources"));
  EXPECT_THAT(server_.asked(), IsEmpty());
}

TEST_F(CommandLineTest, ImportPassesOnWhatLogsDoNotSay) {
  server_.Prepare("/api/v1/push/steps", R"({"next_offset":19,"refused_samples":0})");
  const std::string log = folder_.Write("s.jsonl", "{\"step\":1,\"loss\":2}\n");
  const Ran ran = Run("import --job j --run r --rank 3 --logging-steps 5 " + log);
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_THAT(server_.asked().at(0), HasSubstr("&job=j&run=r&rank=3&logging_steps=5&"));
}

TEST_F(CommandLineTest, ImportCanBeResumed) {
  const std::string a = folder_.Write("a.txt", "a 1 1\na 2 2\n# EOF\n");
  folder_.Write("a.txt.lockstep-offset", "no resume point");
  EXPECT_EQ(Run("import --dry-run " + a).code, kSuccess);
  EXPECT_THAT(Run("import --dry-run --resume " + a).errors, HasSubstr("is not a resume point"));
}

TEST_F(CommandLineTest, ImportTakesAPrometheus) {
  const std::string from = "import --from-prometheus " + server_.url();
  EXPECT_THAT(Run(from + " --start x").errors, HasSubstr("--start: cannot parse \"x\""));
  EXPECT_THAT(Run(from + " --start 1 --end y").errors, HasSubstr("--end: cannot parse \"y\""));
  EXPECT_THAT(Run(from + " --start 1 --match up --match {").errors, HasSubstr("--match: {: "));
}

TEST_F(CommandLineTest, ImportRefusesRanksBelowZeroAndNoSteps) {
  EXPECT_THAT(ErrorOf("import --rank -1 x"), HasSubstr("--rank"));
  EXPECT_THAT(ErrorOf("import --logging-steps 0 x"), HasSubstr("--logging-steps"));
  EXPECT_THAT(Run("import --rank 0 --dry-run /does/not/exist").errors,
              HasSubstr("/does/not/exist"));
}

TEST_F(CommandLineTest, TailTakesPathsAndAnInterval) {
  EXPECT_THAT(ErrorOf("tail"), HasSubstr("PATH is required"));
  EXPECT_THAT(ErrorOf("tail --interval 0.009 x"), HasSubstr("0.009"));
  EXPECT_THAT(ErrorOf("tail --interval 3601 x"), HasSubstr("3601"));
  const std::string state = folder_.Write("state", "none");
  EXPECT_THAT(ErrorOf("tail --interval 3600 --state " + state + " x"), HasSubstr(state));
}

TEST_F(CommandLineTest, RulesAreChecked) {
  const std::string path =
      folder_.Write("r.yml", "groups: [{name: g, rules: [{record: a, expr: running_avg(b)}]}]\n");
  EXPECT_EQ(Run("rules check " + path).out, path + " is fine: 1 groups, 1 rules\n");
  EXPECT_EQ(Run("rules check --query.metricsql false " + path).code, kUsage);
  EXPECT_THAT(Run("rules check").errors, HasSubstr("FILE is required"));
  EXPECT_EQ(Run("rules").code, kUsage);
}

TEST_F(CommandLineTest, RulesAreTested) {
  folder_.Write("r.yml", "groups: [{name: g, rules: [{record: a, expr: b}]}]\n");
  const std::string path = folder_.Write(
      "t.yml",
      "rule_files: [r.yml]\nevaluation_interval: 1m\ntests:\n"
      "- {promql_expr_test: [{expr: '1', eval_time: 1m, exp_samples: [{value: 1}]}]}\n");
  EXPECT_EQ(Run("rules test " + path).out, path + ": 1 tests, 0 failed\n");
}

TEST_F(CommandLineTest, RulesAreBackfilled) {
  server_.PrepareData("/api/v1/query_range", R"({"result":[]})");
  const std::string path =
      folder_.Write("r.yml", "groups: [{name: g, rules: [{record: a, expr: b}]}]\n");
  EXPECT_EQ(Run("rules backfill --start 0 --end 60 --eval-interval 30s " + path).out,
            path + ": a: 0 samples\n");
  EXPECT_EQ(Run("rules backfill --start 0 --end 60 " + path).code, kSuccess);
  EXPECT_THAT(server_.bodies("/api/v1/query_range"),
              ElementsAre("query=b&start=0.000&end=60.000&step=30.000",
                          "query=b&start=0.000&end=60.000&step=60.000"));
  EXPECT_THAT(Run("rules backfill --start 0 " + path).errors, HasSubstr("--end is required"));
  EXPECT_THAT(Run("rules backfill --end 0 " + path).errors, HasSubstr("--start is required"));
}

TEST_F(CommandLineTest, HelpExplainsTheProgramAndItsVerbs) {
  EXPECT_THAT(Run("help").out, StartsWith("A store.\n\nUsage: lockstep VERB"));
  EXPECT_THAT(Run("help query").out, HasSubstr("\nUsage: lockstep query [FLAGS] EXPR\n"));
  EXPECT_THAT(Run("help rules check").out,
              HasSubstr("\nUsage: lockstep rules check [FLAGS] FILE...\n"));
}

TEST_F(CommandLineTest, HelpSuggestsTheVerbThatWasMeant) {
  EXPECT_EQ(ErrorOf("help qeury"),
            "lockstep has no verb \"qeury\"; did you mean query?\nSee: lockstep help\n");
  EXPECT_EQ(ErrorOf("help rules chek"),
            "lockstep rules has no verb \"chek\"; did you mean check?\nSee: lockstep help\n");
}

TEST_F(CommandLineTest, HelpCanBeAManualPage) {
  EXPECT_THAT(Run("help --man").out, StartsWith(".TH LOCKSTEP 1"));
  EXPECT_THAT(Run("help --man").out, HasSubstr(Version()));
  EXPECT_THAT(ErrorOf("help --man query"), HasSubstr("excludes"));
}

TEST_F(CommandLineTest, VersionNamesTheCompilerAndTheLibraries) {
  const Ran ran = Run("version");
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_THAT(ran.out, StartsWith("lockstep " + Version()));
  EXPECT_EQ(ran.out.substr(0, ran.out.find('\n')), VersionLine());
  EXPECT_THAT(ran.out, HasSubstr("\ncompiler " + Compiler() + "\n"));
  for (const char* library : {"\nRocksDB ", "\nAbseil 20", "\nCLI11 ", "\ncurl "}) {
    EXPECT_THAT(ran.out, testing::ContainsRegex(std::string(library) + "[0-9][0-9.]*"));
  }
}

TEST_F(CommandLineTest, CompletionIsForTwoShells) {
  EXPECT_THAT(Run("completion bash").out, StartsWith("# bash completion of lockstep"));
  EXPECT_THAT(Run("completion zsh").out, StartsWith("#compdef lockstep"));
  EXPECT_THAT(ErrorOf("completion fish"), HasSubstr("fish"));
  EXPECT_THAT(ErrorOf("completion"), HasSubstr("SHELL is required"));
}

}  // namespace
}  // namespace lockstep::cli
