#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "rules/hook_runner.h"

extern char** environ;

namespace lockstep::rules {
namespace {

constexpr milliseconds kLookEvery{20};

absl::Status EndOf(int state, const std::string& program) {
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return absl::OkStatus();
  if (WIFEXITED(state)) {
    return absl::UnavailableError(
        absl::StrFormat("%s ended with status %d", program, WEXITSTATUS(state)));
  }
  return absl::UnavailableError(
      absl::StrFormat("%s was ended by signal %d", program, WTERMSIG(state)));
}

// For posix_spawn.
std::vector<char*> PointersTo(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  return pointers;
}

// How a program begins: in a group of its own, with no signal blocked, nothing to read, and none of our files and sockets.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawnattr_init(&attributes_);
    // The signals that this process waits for are blocked in its threads, and are not to be in the program.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
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

}  // namespace

absl::Status RunCommand(const HookCommand& command, milliseconds timeout) {
  const std::string& program = command.arguments.front();
  std::vector<char*> arguments = PointersTo(command.arguments);
  arguments.push_back(nullptr);
  std::vector<char*> environment = PointersTo(command.environment);
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(nullptr);
  const SpawnSettings settings;
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), settings.files(), settings.attributes(),
                                arguments.data(), environment.data());
  if (error != 0) {
    return absl::NotFoundError(absl::StrFormat("cannot run %s: %s", program, std::strerror(error)));
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  int state = 0;
  while (waitpid(pid, &state, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) {
      kill(-pid, SIGKILL);
      waitpid(pid, &state, 0);
      return absl::DeadlineExceededError(
          absl::StrFormat("%s took longer than %d ms", program, timeout.count()));
    }
    std::this_thread::sleep_for(kLookEvery);
  }
  return EndOf(state, program);
}

}  // namespace lockstep::rules
