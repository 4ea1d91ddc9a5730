#include "cli/help/usage_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using ::testing::AnyOf;

class UsageErrorTest : public ::testing::Test {
 protected:
  UsageErrorTest() {
    program_.require_subcommand(1);
    CLI::App* query = program_.add_subcommand("query", "Ask.");
    query->add_option("--url", text_, "Server.");
    CLI::Option* json = query->add_flag("--json", is_on_, "JSON.");
    query->add_flag("--csv", is_off_, "CSV.")->excludes(json);
    query->add_option("EXPR", text_, "The expression.")->required();
    program_.add_subcommand("jobs", "List.");
    CLI::App* rules = program_.add_subcommand("rules", "Rules.");
    rules->require_subcommand(1);
    rules->add_subcommand("check", "Check.")->add_option("FILE", text_, "File.")->required();
    rules->add_subcommand("test", "Test.");
  }

  // The error message for a command line; "" if it is valid.
  std::string ErrorOf(std::vector<std::string> arguments) {
    try {
      program_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
      return UsageError(program_, arguments, error.what());
    }
    return "";
  }

  CLI::App program_{"A program.", "lockstep"};
  std::string text_;
  bool is_on_ = false;
  bool is_off_ = false;
};

TEST_F(UsageErrorTest, NamesTheVerbThatWasMeant) {
  EXPECT_EQ(ErrorOf({"jbos"}),
            "lockstep has no verb \"jbos\"; did you mean jobs?\nSee: lockstep help\n");
  EXPECT_EQ(ErrorOf({"rules", "chek", "x.yml"}),
            "lockstep rules has no verb \"chek\"; did you mean check?\nSee: lockstep help rules\n");
  EXPECT_EQ(ErrorOf({"nothing-like-it"}),
            "lockstep has no verb \"nothing-like-it\"\nSee: lockstep help\n");
}

TEST_F(UsageErrorTest, NamesTheFlagThatWasMeant) {
  EXPECT_EQ(ErrorOf({"query", "--jsn", "up"}),
            "lockstep query has no flag --jsn; did you mean --json?\nSee: lockstep help query\n");
  EXPECT_EQ(ErrorOf({"query", "--ulr=http://a", "up"}),
            "lockstep query has no flag --ulr; did you mean --url?\nSee: lockstep help query\n");
  EXPECT_EQ(ErrorOf({"--jsn", "jobs"}), "lockstep has no flag --jsn\nSee: lockstep help\n");
  EXPECT_EQ(ErrorOf({"rules", "check", "-x", "a"}),
            "lockstep rules check has no flag -x\nSee: lockstep help rules check\n");
}

TEST_F(UsageErrorTest, TakesTheValueOfAFlagForNoVerb) {
  EXPECT_EQ(ErrorOf({"query", "--url", "--jsn", "--jso", "up"}),
            "lockstep query has no flag --jsn; did you mean --json?\nSee: lockstep help query\n");
  EXPECT_EQ(ErrorOf({"query", "--url", "jbos", "--jso", "up"}),
            "lockstep query has no flag --jso; did you mean --json?\nSee: lockstep help query\n");
}

TEST_F(UsageErrorTest, SaysWhatIsMissing) {
  EXPECT_EQ(ErrorOf({"query"}), "lockstep query: EXPR is required\nSee: lockstep help query\n");
  EXPECT_EQ(ErrorOf({"rules"}),
            "lockstep rules needs a verb: check, test\nSee: lockstep help rules\n");
  EXPECT_EQ(ErrorOf({}), "lockstep needs a verb: query, jobs, rules\nSee: lockstep help\n");
  EXPECT_THAT(ErrorOf({"query", "--json", "--csv", "up"}),
              AnyOf("lockstep query: --csv excludes --json\nSee: lockstep help query\n",
                    "lockstep query: --json excludes --csv\nSee: lockstep help query\n"));
}

TEST_F(UsageErrorTest, KnowsNegativeNumbersFromFlags) {
  EXPECT_EQ(ErrorOf({"query", "--url", "x", "-5"}), "");
  EXPECT_EQ(ErrorOf({"query", "-1", "--jsn"}),
            "lockstep query has no flag --jsn; did you mean --json?\nSee: lockstep help query\n");
}

}  // namespace
}  // namespace lockstep::cli
