// Classifies the profiler's copies and fills by name. Pure functions.
#pragma once

#include <string_view>

namespace lockstep::traces {

// Label values with static storage.
struct CopyKind {
  std::string_view
      direction;  // "h2d", "d2h", "d2d", "p2p", "h2h", "memset"; "other" for another name
  // "pageable" or "pinned" host memory, "device" if no host memory is involved, "" if unknown. It
  // decides whether the copy can overlap with host work.
  std::string_view memory;
  friend bool operator==(const CopyKind&, const CopyKind&) = default;
};

// Parses "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
CopyKind CopyKindOf(std::string_view name);

// Whether a runtime or driver call that copies or fills returns only when done: cudaMemcpy,
// cuMemcpyHtoD_v2, but not cudaMemcpyAsync.
bool IsBlockingCopy(std::string_view call);

}  // namespace lockstep::traces
