#include "cli/send/tail.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/send/posting.h"
#include "cli/terminal/visible_text.h"
#include "import/tail/log_tail.h"
#include "import/tail/tail_state.h"

namespace lockstep::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPause{30'000};
constexpr milliseconds kSaveEvery{5'000};
// The timeout of one push; the next one retries.
constexpr milliseconds kPushTimeout{30'000};

// The signals that end the program, in a form that can be waited for.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  // Whether one of them arrived during the pause.
  bool WaitFor(milliseconds pause) const {
    const timespec time{pause.count() / 1000, pause.count() % 1000 * 1'000'000};
    return sigtimedwait(&signals_, nullptr, &time) > 0;
  }

 private:
  sigset_t signals_{};
};

// Each followed log is an open file.
void AllowManyFiles() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

std::string StateFile(const TailFlags& flags) {
  if (!flags.state_file.empty()) return flags.state_file;
  const std::filesystem::path first(flags.paths.front());
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(first, error);
  return ((is_folder ? first : first.parent_path()) / ".lockstep-tail").string();
}

// One run of the verb.
class TailVerb {
 public:
  TailVerb(tail::LogTail& tail, const TailFlags& flags, std::string state_file)
      : tail_(tail),
        interval_(std::llround(flags.interval_s * 1000)),
        state_file_(std::move(state_file)) {}

  ExitCode Run(const StopSignals& signals) {
    milliseconds until_push{0};
    while (true) {
      tail_.Find(SystemTimeMs());
      if (until_push <= milliseconds(0)) until_push = Push();
      if (!Save(kSaveEvery)) return kFailure;
      const milliseconds pause = std::min(interval_, std::max(until_push, milliseconds(1)));
      if (signals.WaitFor(pause)) break;
      until_push -= pause;
    }
    tail_.Find(SystemTimeMs());
    Push();
    return Save(milliseconds(0)) ? kSuccess : kFailure;
  }

 private:
  // Returns how long to wait before the next push.
  milliseconds Push() {
    const absl::Status status = tail_.Push(SystemTimeMs());
    if (status.ok()) {
      if (failures_ > 0) Log(LogLevel::kInfo, "the server accepts logs again");
      failures_ = 0;
      return interval_;
    }
    if (failures_++ == 0) Log(LogLevel::kWarn, "cannot send logs; will retry", {{"error", status}});
    const int doublings = std::min(failures_ - 1, 10);
    return std::min(std::max(interval_, milliseconds(500)) * (1 << doublings), kLongestPause);
  }

  // Saves unless nothing has changed or the last save was less than `at_least` ago.
  bool Save(milliseconds at_least) {
    const auto now = std::chrono::steady_clock::now();
    if (now - saved_at_ < at_least) return true;
    saved_at_ = now;
    std::string text = tail::ToText(tail_.state());
    if (text == saved_) return true;
    const absl::Status status = tail::WriteTailState(state_file_, text);
    if (!status.ok()) Log(LogLevel::kError, "cannot save the state", {{"error", status}});
    saved_ = std::move(text);
    return status.ok();
  }

  tail::LogTail& tail_;
  const milliseconds interval_;
  const std::string state_file_;
  int failures_ = 0;  // in a row
  std::chrono::steady_clock::time_point saved_at_;
  std::string saved_;
};

}  // namespace

ExitCode Tail(const TailFlags& flags) {
  const StopSignals signals;
  AllowManyFiles();
  const auto complain = [](const absl::Status& status) {
    std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(status)).c_str());
    return kUsage;
  };
  HttpClientOptions server = flags.server;
  server.timeout = kPushTimeout;
  const auto client = HttpClient::Make(server);
  if (!client.ok()) return complain(client.status());
  const std::string state_file = StateFile(flags);
  auto state = tail::ReadTailState(state_file);
  if (!state.ok()) return complain(state.status());
  // Tries once; between pushes it looks for new logs.
  importer::Delivery delivery(PostTo(**client), [](milliseconds) { return false; },
                              {milliseconds(0), true});
  tail::LogTail log_tail({flags.paths, flags.hints, HostName()}, delivery, *std::move(state));
  return TailVerb(log_tail, flags, state_file).Run(signals);
}

}  // namespace lockstep::cli
