// RequestMemory: what one write request makes the process keep, taken from the memory budget as it grows and held
// until the samples are stored.
//
// After a call that failed the request is over a limit, and status() says of which. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/memory_budget.h"
#include "base/status.h"
#include "ingest/limits.h"

namespace lockstep {

// As errors of writes are: kOutOfRange is what is too large by itself.
absl::Status AsWriteError(const absl::Status& status);

class RequestMemory {
 public:
  // The labels that a message of that size may spell out.
  void Begin(size_t message_bytes, const IngestLimits& limits);

  // Each is called before the memory is used. False: over a limit.
  [[nodiscard]] bool Add(uint64_t bytes) {
    if (!status_.ok()) return false;
    if (absl::Status status = charge_.Add(bytes); !status.ok()) status_ = AsWriteError(status);
    return status_.ok();
  }
  // Labels of one series, names and values.
  [[nodiscard]] bool AddLabels(uint64_t bytes);
  // A message with many small fields grows when it is read: takes what it can come to, if it is long.
  [[nodiscard]] bool AddMessage(std::string_view message);

  const absl::Status& status() const { return status_; }

 private:
  MemoryCharge charge_{MemoryAccount::kDecoding};
  uint64_t label_bytes_ = 0;
  uint64_t max_label_bytes_ = std::numeric_limits<uint64_t>::max();
  absl::Status status_;
};

}  // namespace lockstep
