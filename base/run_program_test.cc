#include "base/run_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <string>

namespace lockstep {
namespace {

ProgramCall Shell(const std::string& script) {
  ProgramCall call;
  call.arguments = {"sh", "-c", script};
  call.timeout = std::chrono::minutes(1);
  return call;
}

absl::StatusOr<std::string> OutputOf(const ProgramCall& call) {
  std::string output;
  LOCKSTEP_RETURN_IF_ERROR(RunProgram(call, [&](std::string_view text) {
    output += text;
    return absl::OkStatus();
  }));
  return output;
}

TEST(RunProgramTest, TheProgramInheritsNothingButWhatItIsGiven) {
  // Without close-on-exec.
  std::FILE* const open_file = std::tmpfile();
  ProgramCall call =
      Shell("ls /proc/self/fd | tr '\\n' ' '; readlink /proc/self/fd/0; echo \"$LABEL\"");
  call.environment = {"LABEL=$(id)"};
  const auto output = OutputOf(call);
  std::fclose(open_file);
  ASSERT_TRUE(output.ok()) << output.status();
  // The fourth descriptor belongs to the listing itself.
  EXPECT_EQ(*output, "0 1 2 3 /dev/null\n$(id)\n");
}

TEST(RunProgramTest, TakesAllOfALongOutput) {
  const auto output = OutputOf(Shell("head -c 1000000 /dev/zero; echo end"));
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->size(), 1'000'004u);
  EXPECT_TRUE(output->ends_with("end\n"));
}

TEST(RunProgramTest, DoesNotWaitForWhatAProgramLeavesBehind) {
  // It holds the pipe longer than the test may take.
  const auto output = OutputOf(Shell("sleep 3600 2>/dev/null & echo $!"));
  ASSERT_TRUE(output.ok()) << output.status();
  const int left_behind = std::stoi(*output);
  EXPECT_EQ(kill(left_behind, SIGKILL), 0);
}

TEST(RunProgramTest, SaysHowItEnded) {
  EXPECT_TRUE(RunProgram(Shell("exit 0")).ok());
  EXPECT_EQ(Message(RunProgram(Shell("exit 3"))), "sh exited with status 3");
  EXPECT_EQ(Message(RunProgram(Shell("kill -9 $$"))), "sh was killed by signal 9");
  ProgramCall none = Shell("");
  none.arguments.front() = "/no/such/program";
  EXPECT_EQ(Message(RunProgram(none)), "cannot run /no/such/program: No such file or directory");
}

TEST(RunProgramTest, EndsOneThatMayNotGoOn) {
  ProgramCall call = Shell("sleep 3600");
  call.timeout = std::chrono::milliseconds(30);
  EXPECT_EQ(Message(RunProgram(call)), "sh took longer than 30 ms");

  const std::atomic<bool> is_cancelled{true};
  call = Shell("sleep 3600");
  call.is_cancelled = &is_cancelled;
  EXPECT_EQ(RunProgram(call).code(), absl::StatusCode::kCancelled);

  const absl::Status refused =
      RunProgram(Shell("yes"), [](std::string_view) { return absl::OutOfRangeError("too much"); });
  EXPECT_EQ(Message(refused), "too much");
}

}  // namespace
}  // namespace lockstep
