// Runs another program, without a shell, and waits for it to end.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"

namespace lockstep {

struct ProgramCall {
  std::vector<std::string> arguments;    // first the program, by its path or by its name in PATH
  std::vector<std::string> environment;  // "NAME=value", added to the environment of this process
  std::chrono::milliseconds timeout{};
  const std::atomic<bool>* is_cancelled = nullptr;  // ends it early if it returns true; null: never
};

// The program has the standard output and error of this process, and none of its other files or
// sockets. Blocks. Fails if the program does not exit with 0 within the timeout; then it is killed,
// with everything that it started in its process group.
absl::Status RunProgram(const ProgramCall& call);

// The same, but passes its standard output to `take` as it arrives; if `take` fails, the program is
// killed and this returns the error.
absl::Status RunProgram(const ProgramCall& call,
                        absl::FunctionRef<absl::Status(std::string_view output)> take);

}  // namespace lockstep
