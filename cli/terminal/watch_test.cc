#include "cli/terminal/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/process/ran_testing.h"
#include "cli/terminal/pseudo_terminal_testing.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kSoonS = 0.005;
constexpr double kNeverS = 86400;

// The third page ends it.
TEST(WatchTest, PrintsPageAfterPageUntilASignal) {
  int pages = 0;
  const auto page = [&pages]() -> absl::StatusOr<std::string> {
    if (++pages == 3) raise(SIGTERM);
    return "page " + std::to_string(pages) + "\n";
  };
  for (const WatchPlace place : {WatchPlace::kLines, WatchPlace::kScreen}) {
    pages = 0;
    const Ran ran = RunCaptured([&] { return Watch(kSoonS, place, page); });
    EXPECT_EQ(ran.code, kSuccess);
    EXPECT_THAT(ran.out, StartsWith("page 1\n\npage 2\n\npage 3\n"));
    EXPECT_EQ(ran.errors, "");
  }
}

TEST(WatchTest, GoesOnAfterAPageThatFails) {
  int pages = 0;
  const Ran ran = RunCaptured([&] {
    return Watch(kSoonS, WatchPlace::kLines, [&]() -> absl::StatusOr<std::string> {
      if (++pages == 2) return absl::UnavailableError("no answer\x1b");
      if (pages == 3) raise(SIGINT);
      return std::string("page\n");
    });
  });
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_THAT(ran.out, StartsWith("page\n\npage\n"));
  EXPECT_EQ(ran.errors, "lockstep: no answer\\x1b\n");
}

TEST(WatchTest, FailsIfTheFirstPageDoes) {
  const Ran ran = RunCaptured([&] {
    return Watch(kSoonS, WatchPlace::kLines, []() -> absl::StatusOr<std::string> {
      return absl::UnavailableError("no answer");
    });
  });
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.errors, "lockstep: no answer\n");
}

TEST(WatchTest, RestoresTheSignalsThatWereBlocked) {
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  RunCaptured([&] {
    int pages = 0;
    return Watch(kSoonS, WatchPlace::kLines, [&]() -> absl::StatusOr<std::string> {
      if (++pages == 2) raise(SIGTERM);
      return std::string();
    });
  });
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (const int signal : {SIGTERM, SIGINT, SIGWINCH}) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

TEST(WatchTest, AKeyEndsAScreen) {
  for (const char* key : {"q", "Q"}) {
    const PseudoTerminal pseudo;
    const ExitCode code = Watch(kNeverS, WatchPlace::kScreen, [&]() -> absl::StatusOr<std::string> {
      pseudo.Type(key);
      return std::string("a page\n");
    });
    EXPECT_EQ(code, kSuccess);
    const std::string shown = pseudo.Shown();
    EXPECT_THAT(shown, HasSubstr("\x1b[?1049h"));
    EXPECT_THAT(shown, HasSubstr("\x1b[Ha page\x1b[K"));
    EXPECT_THAT(shown, HasSubstr("\x1b[?1049l"));
  }
}

// Another key shows the page again.
TEST(WatchTest, OtherKeysDoNotEndAScreen) {
  const PseudoTerminal pseudo;
  const ExitCode code = Watch(kNeverS, WatchPlace::kScreen, [&]() -> absl::StatusOr<std::string> {
    pseudo.Type("xq");
    return std::string("a page\n");
  });
  EXPECT_EQ(code, kSuccess);
  const std::string shown = pseudo.Shown();
  const size_t first = shown.find("a page");
  EXPECT_NE(shown.find("a page", first + 1), std::string::npos);
}

TEST(WatchTest, AScreenShowsErrorsInItsPlace) {
  const PseudoTerminal pseudo;
  int pages = 0;
  Watch(kSoonS, WatchPlace::kScreen, [&]() -> absl::StatusOr<std::string> {
    if (++pages == 1) return std::string("a page\n");
    pseudo.Type("q");
    return absl::UnavailableError("no answer");
  });
  EXPECT_THAT(pseudo.Shown(), HasSubstr("\x1b[Hlockstep: no answer\x1b[K"));
}

TEST(WatchTest, LinesNeedNoScreen) {
  const PseudoTerminal pseudo;
  int pages = 0;
  Watch(kSoonS, WatchPlace::kLines, [&]() -> absl::StatusOr<std::string> {
    if (++pages == 2) raise(SIGTERM);
    return std::string("a page\n");
  });
  EXPECT_THAT(pseudo.Shown(), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace lockstep::cli
