// What launchers and terminals put in front of a trainer's lines and between them. Pure functions.
//
//   [default3]:  [rank0]:        torchrun --tee, and PyTorch itself; the rank within the node, or the rank
//   3:                           srun -l; the task
//   [1,3]<stdout>:               mpirun --tag-output; job and rank
//   [pod/NAME/CONTAINER]         kubectl logs --prefix; the rank is the pod's index
//   2026-03-02T09:15:48.73Z      kubectl and docker with --timestamps
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::logs {

struct LinePrefix {
  std::optional<int32_t> rank;   // of several the innermost
  bool is_rank_in_node = false;  // torchrun's
  std::optional<int64_t> time_ms;
};

// False where `line` begins like none of them, as most lines do.
constexpr bool MayHavePrefix(std::string_view line) {
  return !line.empty() && (line.front() == '[' || line.front() == ' ' ||
                           (line.front() >= '0' && line.front() <= '9'));
}

// Takes the prefixes in front of `line`.
LinePrefix TakeLinePrefixes(std::string_view& line);

// `line` without terminal sequences (colours, cursor moves), in `buffer` if it had any.
std::string_view WithoutTerminalSequences(std::string_view line, std::string& buffer);

}  // namespace lockstep::logs
