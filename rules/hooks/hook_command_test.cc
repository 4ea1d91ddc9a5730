#include "rules/hooks/hook_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    // Unused values do not matter, and are still in the environment.
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

}  // namespace
}  // namespace lockstep::rules
