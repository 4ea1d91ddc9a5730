// What the names of a flight recorder's operations mean, and what ranks of one operation must have
// in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::hang {

struct OperationKind {
  std::string name;  // "all_reduce", "send"; the same for all forms of one collective
  bool is_p2p = false;
  int32_t peer = -1;  // of a send or receive, numbered inside the group
  // An entry that ends a batch of others and has no sizes of its own.
  bool is_end_of_batch = false;
  // Whether all ranks must have equally many elements, in the output or else in the input.
  bool compares_sizes = false;
  bool compares_output = false;
};

// Of a profiling name: "nccl:_all_gather_base", "gloo:all_reduce", "nccl:send 1->0".
OperationKind KindOf(std::string_view profiling_name);

}  // namespace lockstep::hang
