#include "cli/help/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;

// tests/cli/completion_test.py runs the scripts of the real program in the shells.
Command CompletedProgram() {
  Command check;
  check.name = "lockstep rules check";
  check.help = "Say what's wrong: [all of it].";
  check.flags = {{{"--config"}, FlagValue::kRequired, "FILE", "A file.", false},
                 {{"--watch"}, FlagValue::kOptional, "SECONDS", "Again.", false}};
  check.arguments = {{"FILE", "The files.", true, true}};
  Command rules;
  rules.name = "lockstep rules";
  rules.verbs = {check};
  Command program;
  program.name = "lockstep";
  program.verbs = {rules};
  return program;
}

TEST(CompletionTest, BashKnowsVerbsFlagsAndWhatTheyTake) {
  const std::string script = BashCompletion(CompletedProgram());
  EXPECT_THAT(script, HasSubstr("'lockstep rules' | \\\n"));
  EXPECT_THAT(script, HasSubstr("'lockstep rules check')\n"));
  EXPECT_THAT(script, HasSubstr("words=\"-W 'rules'\"\n"));
  EXPECT_THAT(script, HasSubstr("flags='--config --watch'\n"));
  EXPECT_THAT(script, HasSubstr("--config) value='-f' ;;\n"));
}

TEST(CompletionTest, ZshGetsExplanationsThatItCannotMisread) {
  const std::string script = ZshCompletion(CompletedProgram());
  EXPECT_THAT(script, HasSubstr("'check:Say what'\\''s wrong\\: \\[all of it\\].'"));
  EXPECT_THAT(script, HasSubstr("'*--config=[A file.]:FILE:_files'"));
  EXPECT_THAT(script, HasSubstr("'*--watch=-[Again.]::SECONDS: '"));
  EXPECT_THAT(script, HasSubstr("'*:FILE:_files'"));
}

// What the name of an operand, or of a flag's value, says of it.
TEST(CompletionTest, OperandsAreCompletedByTheirNames) {
  const struct {
    std::string name;
    std::string zsh;
    std::string bash;
  } rows[] = {{"FILE", "_files", "-f"},
              {"PATH", "_files", "-f"},
              {"DIR", "_files -/", "-d"},
              {"FOLDER", "_files -/", "-d"},
              {"VERB", "_lockstep_verbs", "-W 'rules'"},
              {"SHELL", "(bash zsh)", "-W 'bash zsh'"},
              {"NUMBER", " ", ""}};
  for (const auto& row : rows) {
    Command program = CompletedProgram();
    Command& check = program.verbs[0].verbs[0];
    check.arguments[0].name = row.name;
    check.flags[0].value_name = row.name;
    const std::string zsh = ZshCompletion(program);
    EXPECT_THAT(zsh, HasSubstr("'*:" + row.name + ":" + row.zsh + "'"));
    EXPECT_THAT(zsh, HasSubstr("'*--config=[A file.]:" + row.name + ":" + row.zsh + "'"));
    const std::string words = row.bash.empty() ? "" : "words=\"" + row.bash + "\"\n";
    EXPECT_THAT(BashCompletion(program), HasSubstr("flags='--config --watch'\n      " + words));
  }
}

}  // namespace
}  // namespace lockstep::cli
