// Strips what launchers and terminals add to a trainer's lines. Pure functions.
//
//   [default3]:  [rank0]:        torchrun --tee and PyTorch; the rank within the node, or the rank
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
  std::optional<int32_t> rank;   // the innermost if there are several
  bool is_rank_in_node = false;  // from torchrun
  std::optional<int64_t> time_ms;
};

// False if `line` cannot begin with any of them; true for few lines.
constexpr bool MayHavePrefix(std::string_view line) {
  return !line.empty() && (line.front() == '[' || line.front() == ' ' ||
                           (line.front() >= '0' && line.front() <= '9'));
}

// Takes the prefixes from the front of `line`.
LinePrefix TakeLinePrefixes(std::string_view& line);

// `line` without terminal sequences (colours, cursor moves), in `buffer` if it had any.
std::string_view WithoutTerminalSequences(std::string_view line, std::string& buffer);

}  // namespace lockstep::logs
