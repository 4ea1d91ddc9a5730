#include "cli/terminal/watch.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>

#include "absl/strings/str_format.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/visible_text.h"

namespace lockstep::cli {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t is_stopped = 0;

void Stop(int) { is_stopped = 1; }
void WakeUp(int) {}  // the window was resized: ends ppoll, and the page is shown again

// Signals are blocked except while waiting, so that none arrives between a check of is_stopped and
// the wait.
class WatchSignals {
 public:
  WatchSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGWINCH}) {
      struct sigaction action {};
      action.sa_handler = signal == SIGWINCH ? WakeUp : Stop;
      sigaction(signal, &action, nullptr);
      sigaddset(&blocked, signal);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &outside_);
  }
  ~WatchSignals() { pthread_sigmask(SIG_SETMASK, &outside_, nullptr); }
  WatchSignals(const WatchSignals&) = delete;
  WatchSignals& operator=(const WatchSignals&) = delete;

  // Waits for a key, a signal, or until `time` has passed. Without `has_keys`, reads nothing.
  void Wait(std::chrono::nanoseconds time, bool has_keys) const {
    const timespec timeout{time.count() / 1'000'000'000, time.count() % 1'000'000'000};
    pollfd keys{STDIN_FILENO, POLLIN, 0};
    if (ppoll(&keys, has_keys ? 1 : 0, &timeout, &outside_) <= 0) return;
    char key = 0;
    const ssize_t count = read(STDIN_FILENO, &key, 1);
    if (key == 'q' || key == 'Q' || count == 0) is_stopped = 1;
  }

 private:
  sigset_t outside_{};
};

std::string SentenceOf(const absl::Status& status) {
  return absl::StrFormat("lockstep: %s\n", VisibleText(Message(status)));
}

class Watcher {
 public:
  explicit Watcher(std::optional<Terminal>& terminal) : terminal_(terminal) {}

  void Show(const absl::StatusOr<std::string>& page) {
    if (terminal_.has_value()) {
      const std::string text = page.ok() ? *page : SentenceOf(page.status());
      std::fputs(FrameOf(text, terminal_->size()).c_str(), stdout);
    } else if (page.ok()) {
      std::printf("%s%s", is_first_ ? "" : "\n", page->c_str());
    } else {
      std::fputs(SentenceOf(page.status()).c_str(), stderr);
    }
    is_first_ = false;
    std::fflush(stdout);
  }

  // Shows the page again if the window changes, without another request.
  void ShowUntil(Clock::time_point end, const absl::StatusOr<std::string>& page,
                 const WatchSignals& signals) {
    const bool has_keys = terminal_.has_value() && terminal_->has_keys();
    while (is_stopped == 0) {
      const Clock::duration left = end - Clock::now();
      if (left <= Clock::duration::zero()) return;
      signals.Wait(left, has_keys);
      if (terminal_.has_value()) Show(page);
    }
  }

 private:
  std::optional<Terminal>& terminal_;
  bool is_first_ = true;
};

}  // namespace

ExitCode Watch(double interval_s, WatchPlace place,
               const std::function<absl::StatusOr<std::string>()>& page) {
  const auto interval =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_s));
  absl::StatusOr<std::string> text = page();
  if (!text.ok()) {
    std::fputs(SentenceOf(text.status()).c_str(), stderr);
    return kFailure;
  }
  is_stopped = 0;
  const WatchSignals signals;
  std::optional<Terminal> terminal;
  if (place == WatchPlace::kScreen && Terminal::IsThere()) terminal.emplace();
  Watcher watcher(terminal);
  for (Clock::time_point next = Clock::now() + interval;; next = Clock::now() + interval) {
    watcher.Show(text);
    watcher.ShowUntil(next, text, signals);
    if (is_stopped != 0) return kSuccess;
    text = page();
  }
}

}  // namespace lockstep::cli
