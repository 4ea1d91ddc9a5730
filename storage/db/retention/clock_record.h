// ClockRecord: what a store believed about the time when it was last open. On disk:
// docs/formats/kept.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/kv/store.h"

namespace lockstep {

// Times are Unix milliseconds.
struct ClockRecord {
  // A wall clock that is not trusted.
  struct Doubt {
    int64_t wall_ms = 0;
    int64_t unopposed_ms = 0;  // as in RetentionClock
    friend bool operator==(const Doubt&, const Doubt&) = default;
  };

  int64_t believed_ms = 0;
  int64_t latest_ms = 0;  // the latest time that the store ever believed
  std::optional<Doubt> doubt{};
  friend bool operator==(const ClockRecord&, const ClockRecord&) = default;
};

std::string EncodeClockRecord(const ClockRecord& record);
// Returns false for input that EncodeClockRecord() does not write, and for times that no store can
// have.
[[nodiscard]] bool DecodeClockRecord(std::string_view row, ClockRecord& record);

// The record of the store whose first shard is `kv`, or nothing if there is no readable one.
absl::StatusOr<std::optional<ClockRecord>> ReadClockRecord(const kv::Store& kv);
// Survives the death of the process at once, and a power cut from the next synced commit on.
absl::Status WriteClockRecord(kv::Store& kv, const ClockRecord& record);

}  // namespace lockstep
