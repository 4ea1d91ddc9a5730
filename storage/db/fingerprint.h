// Fingerprint: 128 bits that stand for the bytes of a label set in memory.
//
// Keyed by numbers that each process draws anew: among a billion series the chance that any two
// share one is below 10^-20, and nobody can send series that do. So a series is found without its
// labels being compared. Never on disk. Safe from any thread.
//
// Source of the mixing: Wang Yi, "wyhash" (public domain): 64 by 64 bit products, folded.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace lockstep {

struct Fingerprint {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Fingerprint& print) {
    return H::combine(std::move(h), print.low);
  }
};

// Equal for equal bytes in one process.
Fingerprint FingerprintOf(std::string_view bytes);

}  // namespace lockstep
