// For tests: runs a verb and keeps what it prints.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cli/process/exit_code.h"

namespace lockstep::cli {

struct Ran {
  ExitCode code = kSuccess;
  std::string out;
  std::string errors;
};

// `run` returns an exit code. Captures standard output and standard error meanwhile.
template <typename Run>
Ran RunCaptured(const Run& run) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.code = run();
  ran.out = testing::internal::GetCapturedStdout();
  ran.errors = testing::internal::GetCapturedStderr();
  return ran;
}

}  // namespace lockstep::cli
