// Limits of what is read from training artefacts. Everything that grows with a file has one.
#pragma once

#include <cstddef>

namespace lockstep::traces {

// TensorBoard. Records with images or graphs are longer, and skipped without being held.
inline constexpr size_t kMaxEventRecordBytes = 16 << 20;
// Different tags in one file; a model's parameter norms, one tag each, are a few thousand.
inline constexpr size_t kMaxTags = 64 << 10;
inline constexpr size_t kMaxTagBytes = 1024;

}  // namespace lockstep::traces
