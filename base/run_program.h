// Runs another program, without a shell, and waits until it ends.
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
  std::vector<std::string> arguments;    // first the program, by its path or its name in PATH
  std::vector<std::string> environment;  // "NAME=value", besides what this process has
  std::chrono::milliseconds timeout{};
  const std::atomic<bool>* is_cancelled = nullptr;  // ends it early when true; null: nothing does
};

// The program has standard output and error of this process, and no other file or socket of it.
// Blocks. Fails if it does not end with 0 within the timeout; it is killed then, with all that it
// started in its process group.
absl::Status RunProgram(const ProgramCall& call);

// Likewise, but its standard output goes to `take` as it comes; if that fails the program is
// killed, and this fails likewise.
absl::Status RunProgram(const ProgramCall& call,
                        absl::FunctionRef<absl::Status(std::string_view output)> take);

}  // namespace lockstep
