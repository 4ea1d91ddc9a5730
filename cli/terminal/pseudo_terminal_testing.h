// For tests: a terminal of their own at standard input and standard output.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace lockstep::cli {

// Stands there for the lifetime of this object.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short rows = 24, unsigned short columns = 80) {
    winsize size{};
    size.ws_row = rows;
    size.ws_col = columns;
    EXPECT_EQ(openpty(&keyboard_, &terminal_, nullptr, nullptr, &size), 0);
    std::fflush(stdout);
    input_ = dup(STDIN_FILENO);
    output_ = dup(STDOUT_FILENO);
    dup2(terminal_, STDIN_FILENO);
    dup2(terminal_, STDOUT_FILENO);
  }
  ~PseudoTerminal() {
    std::fflush(stdout);
    dup2(input_, STDIN_FILENO);
    dup2(output_, STDOUT_FILENO);
    for (const int file : {input_, output_, terminal_, keyboard_}) close(file);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void Type(std::string_view keys) const {
    EXPECT_EQ(write(keyboard_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  // What has been shown since the last call.
  std::string Shown() const {
    std::fflush(stdout);
    std::string shown;
    pollfd ready{keyboard_, POLLIN, 0};
    char bytes[4096];
    while (poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0) {
      const ssize_t size = read(keyboard_, bytes, sizeof(bytes));
      if (size <= 0) break;
      shown.append(bytes, static_cast<size_t>(size));
    }
    return shown;
  }
  // The side of the program.
  int file() const { return terminal_; }

 private:
  int keyboard_ = -1;
  int terminal_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace lockstep::cli
