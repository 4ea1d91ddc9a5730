#include "cli/help/help_text.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

TEST(HelpTextTest, WrapsAtSpaces) {
  EXPECT_EQ(Wrapped("", 0, 20), "");
  EXPECT_EQ(Wrapped("one two three", 0, 20), "one two three\n");
  EXPECT_EQ(Wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(Wrapped("longer-than-a-line x", 0, 5), "longer-than-a-line\nx\n");
}

// Help shows what CLI11 parses, without hidden flags.
TEST(HelpTextTest, ExplainsAVerb) {
  CLI::App app("A program.", "program");
  CLI::App* verb = app.add_subcommand("ask", "Ask something.");
  verb->set_help_flag("-h,--help", "Print this help.");
  std::string text;
  std::vector<std::string> files;
  bool is_on = false;
  verb->add_option("--url", text, "Server to talk to.")->type_name("URL");
  verb->add_option("--old", text, "Not shown.")->group("");
  verb->add_flag("--json", is_on, "Print JSON.");
  verb->add_flag("--watch{2}", text, "Ask again.")->type_name("SECONDS");
  verb->add_option("--at", text, "A time.")->type_name("TIME")->required();
  verb->add_option("JOB", text, "The job.")->required();
  verb->add_option("FILE", files, "Files.");
  EXPECT_EQ(HelpText(TreeOf(*verb, "program ask")),
            "Ask something.\n"
            "\n"
            "Usage: program ask [FLAGS] JOB [FILE...]\n"
            "\n"
            "Arguments:\n"
            "  JOB                         The job.\n"
            "  FILE                        Files.\n"
            "\n"
            "Flags:\n"
            "  -h, --help                  Print this help.\n"
            "  --url URL                   Server to talk to.\n"
            "  --json                      Print JSON.\n"
            "  --watch[=SECONDS]           Ask again.\n"
            "  --at TIME                   A time. Required.\n");
}

TEST(HelpTextTest, ListsVerbs) {
  CLI::App app("A program.", "program");
  app.set_help_flag();
  app.footer("A footer.");
  app.add_subcommand("ask", "Ask something.");
  CLI::App* group = app.add_subcommand("a-verb-with-a-very-long-name", "Do much.");
  group->add_subcommand("below", "Do less.");
  EXPECT_EQ(HelpText(TreeOf(app)),
            "A program.\n"
            "\n"
            "Usage: program VERB\n"
            "\n"
            "Verbs:\n"
            "  ask                         Ask something.\n"
            "  a-verb-with-a-very-long-name\n"
            "                              Do much.\n"
            "\n"
            "`program help VERB` explains a verb.\n"
            "\n"
            "A footer.\n");
}

}  // namespace
}  // namespace lockstep::cli
