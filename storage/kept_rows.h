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
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
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
  // Calls visit(number, bytes) for the rows whose numbers are from `first` to `last`, by number.
  // The bytes are valid during the call. Stops at the first error. A store has one row at a time in
  // memory; this is for implementations that have all rows there.
  using Visit = absl::FunctionRef<absl::Status(uint32_t number, std::string_view bytes)>;
  virtual absl::Status VisitKept(KeptKind kind, uint32_t first, uint32_t last, Visit visit) const {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<KeptRow> rows, ReadKept(kind));
    for (const KeptRow& row : rows) {
      if (row.number < first || row.number > last) continue;
      LOCKSTEP_RETURN_IF_ERROR(visit(row.number, row.bytes));
    }
    return absl::OkStatus();
  }
  virtual absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                              uint32_t number) const = 0;
  // Each row on its own replaces the one with its number. Written rows survive the death of the
  // process at once, and a power cut from the next acknowledged write on. Precondition: no row is
  // larger than kMaxRowBytes. kPermissionDenied if the store is read-only.
  virtual absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) = 0;
};

}  // namespace lockstep
