// This process's file handles: how many there are, and how many connections may use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lockstep::server {

// Raises the soft limit, which is 1024 on most systems, to the hard limit, and returns the limit in
// effect.
uint64_t RaiseFileLimit();

// Limits `wanted` so that handles remain for the store: HTTP and gRPC get at most a quarter each.
inline size_t ConnectionsWithin(uint64_t file_limit, size_t wanted) {
  return static_cast<size_t>(std::clamp<uint64_t>(file_limit / 4, 1, wanted));
}

}  // namespace lockstep::server
