#include "cli/send/tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPush = "/api/v1/push/steps";
constexpr const char* kStep = "{\"step\":1,\"loss\":2.5}\n";

// The verb ends at once, because the signal that ends it has already arrived.
class TailVerbTest : public ::testing::Test {
 protected:
  TailVerbTest() {
    ConfigureLog(LogLevel::kInfo, LogFormat::kLogfmt);
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stop, &before_);
    flags_.server = server_.options();
    flags_.interval_s = 3600;
    log_ = folder_.Write("logs/steps.jsonl", kStep);
    flags_.paths = {folder_.path() + "/logs"};
    server_.Prepare(kPush, absl::StrFormat(R"({"next_offset":%d,"refused_samples":0})",
                                           std::string_view(kStep).size()));
  }
  ~TailVerbTest() override { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  Ran Run(int signal = SIGTERM) {
    return RunCaptured([this, signal] {
      raise(signal);
      return Tail(flags_);
    });
  }

  const TestFolder folder_;
  std::string log_;
  FakeServer server_;
  TailFlags flags_;
  sigset_t before_{};
};

TEST_F(TailVerbTest, SendsWhatIsWrittenAndRemembersIt) {
  flags_.hints.job = "mine";
  Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("msg=\"following a log\" path=" + log_));
  ASSERT_EQ(server_.asked().size(), 1u);
  EXPECT_THAT(server_.asked()[0], HasSubstr("&job=mine"));
  EXPECT_THAT(server_.asked()[0], HasSubstr("&offset=0"));
  EXPECT_EQ(server_.requests()[0].body, kStep);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/logs/.lockstep-tail"));
  ran = Run(SIGINT);
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_EQ(server_.asked().size(), 1u);
}

TEST_F(TailVerbTest, TheStateIsBesideALogThatIsNamed) {
  flags_.paths = {log_};
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/logs/.lockstep-tail"));
}

TEST_F(TailVerbTest, TheStateMayBeElsewhere) {
  flags_.state_file = folder_.path() + "/state";
  EXPECT_EQ(Run().code, kSuccess);
  EXPECT_TRUE(std::filesystem::exists(flags_.state_file));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/logs/.lockstep-tail"));
}

TEST_F(TailVerbTest, AStateThatIsNoneIsAnError) {
  flags_.state_file = folder_.Write("state", "something else\n");
  const Ran ran = RunCaptured([this] { return Tail(flags_); });
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.errors, testing::StartsWith("lockstep: "));
  EXPECT_THAT(ran.errors, HasSubstr(flags_.state_file));
  EXPECT_TRUE(server_.asked().empty());
}

TEST_F(TailVerbTest, AStateThatCannotBeWrittenEndsIt) {
  flags_.state_file = folder_.path() + "/absent/state";
  const Ran ran = RunCaptured([this] { return Tail(flags_); });
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors, HasSubstr("level=error msg=\"cannot save the state\""));
}

TEST_F(TailVerbTest, AServerThatIsAbsentIsNoFailure) {
  {
    const FakeServer gone;
    flags_.server = gone.options();
  }
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  const std::string complaint = "level=warn msg=\"cannot send logs; will retry\"";
  const size_t at = ran.errors.find(complaint);
  ASSERT_NE(at, std::string::npos) << ran.errors;
  // It fails again before the end, which is not told twice.
  EXPECT_EQ(ran.errors.find(complaint, at + 1), std::string::npos);
}

TEST_F(TailVerbTest, TellsWhenTheServerIsBack) {
  FakeServer server;
  server.Prepare(kPush, FakeServer::Reply{"starting", 503});
  server.Prepare(kPush, absl::StrFormat(R"({"next_offset":%d,"refused_samples":0})",
                                        std::string_view(kStep).size()));
  flags_.server = server.options();
  const Ran ran = Run();
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_THAT(ran.errors, HasSubstr("cannot send logs; will retry"));
  EXPECT_THAT(ran.errors, HasSubstr("level=info msg=\"the server accepts logs again\""));
  EXPECT_EQ(server.asked().size(), 2u);
}

TEST_F(TailVerbTest, TheTokenFileMustBeReadable) {
  flags_.server.token_file = "/does/not/exist";
  const Ran ran = RunCaptured([this] { return Tail(flags_); });
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors, "lockstep: cannot read \"/does/not/exist\"\n");
}

}  // namespace
}  // namespace lockstep::cli
