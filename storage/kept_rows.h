// KeptRows: small data of the modules above that the store keeps, beside samples, from one run of
// the server to the next.
//
// The rows are few and small: each kind has numbered rows, whose bytes only their writer
// understands (docs/formats/kept.md). All methods are safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace lockstep {

// On disk: never change a value or reuse one for another kind.
enum class KeptKind : char {
  kAnnotations = 'A',
  kClock = 'C',  // the store's own
  kDumps = 'D',
  kExemplars = 'E',
  kHookActions = 'H',
  kLogStreams = 'L',
  kMetadata = 'M',
  kTenants = 'T'
};

struct KeptRow {
  uint32_t number = 0;
  std::string bytes;  // "" if the row does not exist
};

class KeptRows {
 public:
  static constexpr size_t kMaxRowBytes = size_t{1} << 20;

  virtual ~KeptRows() = default;
  // All rows of the kind, by number.
  virtual absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const = 0;
  virtual absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                              uint32_t number) const = 0;
  // Each row on its own replaces the one with its number. Written rows survive the death of the
  // process at once, and a power cut from the next acknowledged write on. Precondition: no row is
  // larger than kMaxRowBytes. kPermissionDenied if the store is read-only.
  virtual absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) = 0;
};

}  // namespace lockstep
