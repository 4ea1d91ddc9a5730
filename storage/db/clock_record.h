// ClockRecord: what a store believed about the time when it was last open. On disk: docs/formats/kept.md.
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
  // A wall clock that is not believed.
  struct Doubt {
    int64_t wall_ms = 0;
    int64_t unopposed_ms = 0;  // as RetentionClock says
    friend bool operator==(const Doubt&, const Doubt&) = default;
  };

  int64_t believed_ms = 0;
  int64_t latest_ms = 0;  // the latest time that the store ever believed
  std::optional<Doubt> doubt{};
  friend bool operator==(const ClockRecord&, const ClockRecord&) = default;
};

std::string EncodeClockRecord(const ClockRecord& record);
// False for anything that EncodeClockRecord() does not write, and for times that no store has.
[[nodiscard]] bool DecodeClockRecord(std::string_view row, ClockRecord& record);

// The record of a store whose first shard `kv` is; nothing if there is none that can be read.
absl::StatusOr<std::optional<ClockRecord>> ReadClockRecord(const kv::Store& kv);
// Survives the end of the process at once, and that of the power with the next synced commit.
absl::Status WriteClockRecord(kv::Store& kv, const ClockRecord& record);

}  // namespace lockstep
