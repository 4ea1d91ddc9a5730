#include "base/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"

extern char** environ;

namespace lockstep {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kLookEveryMs = 20;

absl::Status EndOf(int state, const std::string& program) {
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return absl::OkStatus();
  if (WIFEXITED(state)) {
    return absl::UnavailableError(
        absl::StrFormat("%s exited with status %d", program, WEXITSTATUS(state)));
  }
  return absl::UnavailableError(
      absl::StrFormat("%s was killed by signal %d", program, WTERMSIG(state)));
}

// For posix_spawnp.
std::vector<char*> PointersTo(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  return pointers;
}

// The initial state of a program: a process group of its own, no signal blocked, nothing to read,
// and none of our files and sockets.
class SpawnSettings {
 public:
  // `output_fd` becomes its standard output; if it is below 0, the program has ours.
  explicit SpawnSettings(int output_fd) {
    posix_spawnattr_init(&attributes_);
    // The signals that this process waits for are blocked in its threads, but must not be blocked
    // in the program.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output_fd >= 0) posix_spawn_file_actions_adddup2(&files_, output_fd, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawnattr_t* attributes() const { return &attributes_; }
  const posix_spawn_file_actions_t* files() const { return &files_; }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t files_;
};

// The two ends of a pipe. Reading does not block.
class Pipe {
 public:
  Pipe() = default;
  ~Pipe() {
    Close(read_fd_);
    Close(write_fd_);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  absl::Status Open() {
    std::array<int, 2> fds{};
    if (pipe2(fds.data(), O_CLOEXEC) != 0) {
      return absl::UnavailableError(absl::StrFormat("cannot create a pipe: %s", strerror(errno)));
    }
    read_fd_ = fds[0];
    write_fd_ = fds[1];
    fcntl(read_fd_, F_SETFL, O_NONBLOCK);
    return absl::OkStatus();
  }

  int read_fd() const { return read_fd_; }
  int write_fd() const { return write_fd_; }
  void CloseRead() { Close(read_fd_); }
  void CloseWrite() { Close(write_fd_); }

 private:
  static void Close(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }

  int read_fd_ = -1;
  int write_fd_ = -1;
};

class Child {
 public:
  Child(const ProgramCall& call, int output_fd) : call_(call), program_(call.arguments.front()) {
    std::vector<char*> arguments = PointersTo(call.arguments);
    arguments.push_back(nullptr);
    std::vector<char*> environment = PointersTo(call.environment);
    for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
    environment.push_back(nullptr);
    const SpawnSettings settings(output_fd);
    error_ = posix_spawnp(&pid_, program_.c_str(), settings.files(), settings.attributes(),
                          arguments.data(), environment.data());
  }
  // Kills whatever is left of it.
  ~Child() {
    if (error_ != 0 || state_) return;
    int state = 0;
    kill(-pid_, SIGKILL);
    waitpid(pid_, &state, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  absl::Status Begun() const {
    if (error_ == 0) return absl::OkStatus();
    return absl::NotFoundError(absl::StrFormat("cannot run %s: %s", program_, strerror(error_)));
  }

  bool HasEnded() {
    int state = 0;
    if (!state_ && waitpid(pid_, &state, WNOHANG) == pid_) state_ = state;
    return state_.has_value();
  }

  // How it ended. Precondition: HasEnded().
  absl::Status End() const { return EndOf(*state_, program_); }

  // Fails if it may not run any longer.
  absl::Status MayRun() const {
    if (call_.is_cancelled != nullptr && *call_.is_cancelled) {
      return absl::CancelledError(absl::StrFormat("%s was stopped before it finished", program_));
    }
    if (SteadyClock::now() < deadline_) return absl::OkStatus();
    return absl::DeadlineExceededError(
        absl::StrFormat("%s took longer than %d ms", program_, call_.timeout.count()));
  }

 private:
  const ProgramCall& call_;
  const std::string& program_;
  const SteadyClock::time_point deadline_ = SteadyClock::now() + call_.timeout;
  int error_ = 0;
  pid_t pid_ = 0;
  std::optional<int> state_;  // once it has ended
};

// Reads what is available now; closes a pipe that has ended.
absl::Status Drain(Pipe& pipe, absl::FunctionRef<absl::Status(std::string_view)> take) {
  std::array<char, 64 << 10> bytes;
  while (pipe.read_fd() >= 0) {
    const ssize_t size = read(pipe.read_fd(), bytes.data(), bytes.size());
    if (size > 0) {
      LOCKSTEP_RETURN_IF_ERROR(take(std::string_view(bytes.data(), static_cast<size_t>(size))));
    } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
      pipe.CloseRead();
    } else if (errno == EAGAIN) {
      break;
    }
  }
  return absl::OkStatus();
}

// Waits until there is output or some time has passed.
void Await(const Pipe& pipe) {
  pollfd waiting{pipe.read_fd(), POLLIN, 0};
  // Without a pipe this only waits: poll() skips a descriptor below 0.
  poll(&waiting, 1, kLookEveryMs);
}

absl::Status RunUntilEnd(const ProgramCall& call, Pipe& pipe,
                         absl::FunctionRef<absl::Status(std::string_view)> take) {
  Child child(call, pipe.write_fd());
  pipe.CloseWrite();
  LOCKSTEP_RETURN_IF_ERROR(child.Begun());
  while (!child.HasEnded()) {
    LOCKSTEP_RETURN_IF_ERROR(child.MayRun());
    LOCKSTEP_RETURN_IF_ERROR(Drain(pipe, take));
    Await(pipe);
  }
  LOCKSTEP_RETURN_IF_ERROR(Drain(pipe, take));
  return child.End();
}

}  // namespace

absl::Status RunProgram(const ProgramCall& call) {
  Pipe none;
  return RunUntilEnd(call, none, [](std::string_view) { return absl::OkStatus(); });
}

absl::Status RunProgram(const ProgramCall& call,
                        absl::FunctionRef<absl::Status(std::string_view output)> take) {
  Pipe pipe;
  LOCKSTEP_RETURN_IF_ERROR(pipe.Open());
  return RunUntilEnd(call, pipe, take);
}

}  // namespace lockstep
