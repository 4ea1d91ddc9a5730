// For tests: a verb in a process of its own, for those that run until a signal.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "cli/process/exit_code.h"
#include "import/files/importing_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {

// Precondition: no other thread is running.
class Forked {
 public:
  explicit Forked(const std::function<ExitCode()>& run) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe(ends), 0);
    std::fflush(stdout);
    std::fflush(stderr);
    process_ = fork();
    if (process_ == 0) {
      alarm(300);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      if (std::freopen(ErrorPath().c_str(), "w", stderr) == nullptr) _exit(99);
      const ExitCode code = run();
      std::fflush(stdout);
      std::fflush(stderr);
      _exit(code);
    }
    EXPECT_GT(process_, 0);
    close(ends[1]);
    output_ = ends[0];
  }
  ~Forked() {
    close(output_);
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  // The next line of its standard output, without its end; what is left at the end of the output.
  std::string Line() const {
    std::string line;
    char byte = 0;
    while (read(output_, &byte, 1) == 1 && byte != '\n') line += byte;
    return line;
  }
  // The rest of its standard output, which ends with the process.
  std::string Rest() const {
    std::string rest;
    char bytes[4096];
    for (ssize_t size; (size = read(output_, bytes, sizeof(bytes))) > 0;) {
      rest.append(bytes, static_cast<size_t>(size));
    }
    return rest;
  }
  void Signal(int number) const { EXPECT_EQ(kill(process_, number), 0); }
  // Its exit code; -1 if a signal killed it.
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int Stop() {
    Signal(SIGTERM);
    return Wait();
  }
  std::string errors() const { return importer::BytesOf(ErrorPath()); }
  pid_t process() const { return process_; }

 private:
  std::string ErrorPath() const { return folder_.path() + "/errors"; }

  const TestFolder folder_;
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace lockstep::cli
