#include "cli/help/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Command DocumentedProgram() {
  Command verb;
  verb.name = "lockstep ask";
  verb.help = "Ask; C:\\temp is not markup.";
  verb.flags = {{{"--url"}, FlagValue::kRequired, "URL", ".dots at the beginning.", false}};
  verb.arguments = {{"JOB", "The job.", true, false}};
  Command program;
  program.name = "lockstep";
  program.help = "A store.";
  program.footer = "Exit status: 0 done.";
  program.flags = {{{"-h", "--help"}, FlagValue::kNone, "", "Print this help.", false}};
  program.verbs = {verb};
  return program;
}

TEST(ManPageTest, HasASectionForEachVerb) {
  const std::string page = ManPage(DocumentedProgram(), "1.2.3");
  EXPECT_THAT(page, StartsWith(".TH LOCKSTEP 1 \"\" \"lockstep 1.2.3\" \"User Commands\"\n"));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nlockstep \\- A store.\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-h, \\-\\-help\\fR\nPrint this help.\n"));
  EXPECT_THAT(page, HasSubstr(".SS lockstep ask [FLAGS] JOB\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBJOB\\fR\nThe job.\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\nExit status: 0 done.\n"));
}

TEST(ManPageTest, LeavesNoTextToBeReadAsMarkup) {
  const std::string page = ManPage(DocumentedProgram(), "1.2.3");
  EXPECT_THAT(page, HasSubstr("Ask; C:\\etemp is not markup.\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-url URL\\fR\n\\&.dots at the beginning.\n"));
}

}  // namespace
}  // namespace lockstep::cli
