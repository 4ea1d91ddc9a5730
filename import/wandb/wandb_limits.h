// Limits of what is read from W&B's files. Everything that grows with a file has one.
#pragma once

#include <cstddef>

namespace lockstep::wandb {

// A step with a few thousand values has a megabyte; longer records are media written into the log.
inline constexpr size_t kMaxRecordBytes = 16 << 20;
// Values in one record.
inline constexpr size_t kMaxItems = 64 << 10;
// Of a name: the members that lead to a value, joined.
inline constexpr size_t kMaxNameBytes = 1024;
// Objects within objects.
inline constexpr int kMaxDepth = 16;
// Of what names the run: its id, its group, ...
inline constexpr size_t kMaxTextBytes = 1024;

}  // namespace lockstep::wandb
