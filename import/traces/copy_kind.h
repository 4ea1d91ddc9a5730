// What a copy or a fill of the profiler moved, from where to where, by its name. Pure functions.
#pragma once

#include <string_view>

namespace lockstep::traces {

// Labels' values; they live forever.
struct CopyKind {
  std::string_view
      direction;  // "h2d", "d2h", "d2d", "p2p", "h2h", "memset"; "other" for another name
  // "pageable" or "pinned" host memory, "device" where no host memory has a part in it, "" for unknown: what
  // decides whether the copy can run beside the host.
  std::string_view memory;
  friend bool operator==(const CopyKind&, const CopyKind&) = default;
};

// Of "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
CopyKind CopyKindOf(std::string_view name);

// Whether a runtime or driver call that copies or fills returns only when that is done: cudaMemcpy, cuMemcpyHtoD_v2,
// not cudaMemcpyAsync.
bool IsBlockingCopy(std::string_view call);

}  // namespace lockstep::traces
