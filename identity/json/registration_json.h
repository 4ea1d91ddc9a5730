// Registrations as launchers send them: one JSON object, a list of them, or one per line.
//
//   {"job": "llm", "attempt": 0, "rank": 3, "host": "n1", "gpu": 3, "uuid": "GPU-…",
//    "gpu_model": "NVIDIA H200", "stage": 0, "tp": 3, "dp": 0, "ep": 0, "pp": 0, "cp": 0,
//    "world_size": 8, "model": {"layers": 16}, "parallelism": {"tp": 4, "dp": 2},
//    "from": 1795242155.1, "to": 1795242195.2}
//
// Pure; safe from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "identity/registration.h"

namespace lockstep::identity {

inline constexpr size_t kMaxRegistrations = 1 << 17;
inline constexpr size_t kMaxTextBytes =
    1024;  // in a text, or in a name in "model" or "parallelism"
inline constexpr size_t kMaxInfoEntries = 24;  // in "model" and in "parallelism"
inline constexpr int kMaxInfoDepth = 4;

// kInvalidArgument names the registration, counted from 1, and the error. Unknown members are
// errors, because they are misspelt ones.
absl::StatusOr<std::vector<Registration>> ParseRegistrations(std::string_view text);

}  // namespace lockstep::identity
