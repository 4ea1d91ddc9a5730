#include "rules/hook_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "rules/hook_runner.h"

namespace lockstep::rules {
namespace {

using testing::Contains;
using testing::ElementsAre;

Alert AlertWith(std::initializer_list<LabelView> labels) {
  Alert alert;
  alert.labels = LabelSet::Of(labels);
  return alert;
}

HookConfig Running(std::vector<std::string> command) {
  HookConfig hook;
  hook.command = std::move(command);
  return hook;
}

TEST(HookCommandTest, PutsPlainValuesIntoArguments) {
  const auto command = CommandOf(
      Running({"/bin/drain", "--node={{ $labels.node }}", "{{ $labels.job }}", "{{ $labels.none }}",
               "$(literal); {{ with $labels.node }}{{ . }}{{ end }}"}),
      AlertWith({{"node", "gpu-7.example:9400"}, {"job", "/team/llm_7b@2,x=1"}}));
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_THAT(command->arguments,
              ElementsAre("/bin/drain", "--node=gpu-7.example:9400", "/team/llm_7b@2,x=1", "",
                          "$(literal); gpu-7.example:9400"));
}

TEST(HookCommandTest, TakesNoValueThatCouldBeMore) {
  for (const char* value :
       {"--all", "-x", "$(id)", "a;b", "a b", "a\nb", "`id`", "a'b", "a\"b", "a|b", "*", "~root",
        "@file", "a\x1b[31m", "{a,b}", ".hidden", "+x", "ü"}) {
    const Alert alert = AlertWith({{"node", "n7"}, {"job", value}});
    for (const char* use :
         {"{{ $labels.job }}", "x{{ $labels.job }}", "{{ toUpper $labels.job }}"}) {
      const auto command = CommandOf(Running({"/bin/sh", "-c", use}), alert);
      EXPECT_EQ(command.status().code(), absl::StatusCode::kInvalidArgument) << use << value;
    }
    // What is not used is in nobody's way, and for those who look for it.
    const auto command = CommandOf(Running({"/bin/drain", "{{ $labels.node }}"}), alert);
    ASSERT_TRUE(command.ok()) << value;
    EXPECT_THAT(command->environment, Contains(std::string("LOCKSTEP_LABEL_job=") + value));
  }
}

TEST(HookCommandTest, OnlyNamesOfVariablesAreInTheEnvironment) {
  const auto command =
      CommandOf(Running({"/bin/drain"}), AlertWith({{"a", "1"}, {"b.c", "2"}, {"d=e", "3"}}));
  ASSERT_TRUE(command.ok());
  EXPECT_THAT(command->environment, ElementsAre("LOCKSTEP_LABEL_a=1"));
}

TEST(RunCommandTest, TheProgramInheritsNothingButWhatItIsGiven) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("lockstep-hook-" +
       std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::filesystem::create_directory(folder);
  // Without close-on-exec.
  std::FILE* const open_file = std::fopen((folder / "open").c_str(), "w");
  const std::string script =
      "ls /proc/self/fd | tr '\\n' ' ' > \"$0\"; readlink /proc/self/fd/0 >> \"$0\"; "
      "echo \"$LOCKSTEP_LABEL_node\" >> \"$0\"";
  const absl::Status status =
      RunCommand({{"/bin/sh", "-c", script, folder / "seen"}, {"LOCKSTEP_LABEL_node=$(id)"}},
                 std::chrono::minutes(1));
  std::fclose(open_file);
  std::ostringstream seen;
  seen << std::ifstream(folder / "seen").rdbuf();
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(status.ok()) << status;
  // The fourth is that of the listing itself.
  EXPECT_EQ(seen.str(), "0 1 2 3 /dev/null\n$(id)\n");
}

}  // namespace
}  // namespace lockstep::rules
