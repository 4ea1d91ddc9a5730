#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

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

}  // namespace

absl::Status RunCommand(const std::vector<std::string>& arguments, milliseconds timeout) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  // The signals that this process waits for are blocked in its threads, and are not to be in the program.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return absl::NotFoundError(
        absl::StrFormat("cannot run %s: %s", arguments[0], std::strerror(error)));
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  int state = 0;
  while (waitpid(pid, &state, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) {
      kill(-pid, SIGKILL);
      waitpid(pid, &state, 0);
      return absl::DeadlineExceededError(
          absl::StrFormat("%s took longer than %d ms", arguments[0], timeout.count()));
    }
    std::this_thread::sleep_for(kLookEvery);
  }
  return EndOf(state, arguments[0]);
}

}  // namespace lockstep::rules
