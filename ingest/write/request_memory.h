// RequestMemory: the memory of one write request, charged to the budget as it grows and held until
// the samples are stored.
//
// After a failed call the request is over a limit, and status() says which. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "ingest/write/limits.h"

namespace lockstep {

// Converts to a write's error: kOutOfRange for what is too large by itself.
absl::Status AsWriteError(const absl::Status& status);

class RequestMemory {
 public:
  // Sets the label expansion limit for a message of that size.
  void Begin(size_t message_bytes, const IngestLimits& limits);

  // Call each before using the memory. False: over a limit.
  [[nodiscard]] bool Add(uint64_t bytes) {
    if (!status_.ok()) return false;
    if (absl::Status status = charge_.Add(bytes); !status.ok()) status_ = AsWriteError(status);
    return status_.ok();
  }
  // Label bytes of one series, names and values.
  [[nodiscard]] bool AddLabels(uint64_t bytes);
  // A message with many small fields grows when decoded: if it is long, charges the worst case.
  [[nodiscard]] bool AddMessage(std::string_view message);

  const absl::Status& status() const { return status_; }

 private:
  MemoryCharge charge_{MemoryAccount::kDecoding};
  uint64_t label_bytes_ = 0;
  uint64_t max_label_bytes_ = std::numeric_limits<uint64_t>::max();
  absl::Status status_;
};

}  // namespace lockstep
