// The file handles of this process: how many there are, and how many connections may take of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lockstep::server {

// Raises the soft limit, which is 1024 on most systems, to the hard one, and returns what is in force.
uint64_t RaiseFileLimit();

// Of `wanted` connections as many as leave handles for the store: HTTP gets a quarter at most, gRPC as much.
inline size_t ConnectionsWithin(uint64_t file_limit, size_t wanted) {
  return static_cast<size_t>(std::clamp<uint64_t>(file_limit / 4, 1, wanted));
}

}  // namespace lockstep::server
