// Limits for W&B's files. Everything that grows with a file has one.
#pragma once

#include <cstddef>

namespace lockstep::wandb {

// A step with a few thousand values takes a megabyte; longer records are embedded media.
inline constexpr size_t kMaxRecordBytes = 16 << 20;
// Values in one record.
inline constexpr size_t kMaxItems = 64 << 10;
// A value's name: its path, joined.
inline constexpr size_t kMaxNameBytes = 1024;
// Nesting of objects.
inline constexpr int kMaxDepth = 16;
// Texts that describe the run: its ID, its group, ...
inline constexpr size_t kMaxTextBytes = 1024;

}  // namespace lockstep::wandb
