// KeptRows: what the modules above keep in the store, beside samples, from one run of the server to the next.
//
// Few and small: a kind has rows of numbers, each of bytes that only their writer understands
// (docs/formats/kept.md). All methods are safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace lockstep {

// On disk: never changed, never used again for another.
enum class KeptKind : char {
  kClock = 'C',  // the store's own
  kExemplars = 'E',
  kHookActions = 'H',
  kLogStreams = 'L',
  kMetadata = 'M',
  kTenants = 'T'
};

struct KeptRow {
  uint32_t number = 0;
  std::string bytes;  // ""; there is none
};

class KeptRows {
 public:
  static constexpr size_t kMaxRowBytes = size_t{1} << 20;

  virtual ~KeptRows() = default;
  // All rows of the kind, by number.
  virtual absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const = 0;
  virtual absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                              uint32_t number) const = 0;
  // Each row by itself takes the place of the one of its number. What is written survives the end of the process at once,
  // and that of the power when a write that comes later is acknowledged. Precondition: no row is larger than
  // kMaxRowBytes. kPermissionDenied if the store is open for reading only.
  virtual absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) = 0;
};

}  // namespace lockstep
