// Times for records that have none: that of their arrival, a millisecond apart where the step is another.
//
// All records of one step that come in a row have one time, so that they can be joined, and no two steps have the
// same. Times never go back. They depend on when bytes arrived and not on how they were sliced.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/logs/log_record.h"

namespace lockstep::push {

class StepClock {
 public:
  // Of the bytes that come next.
  void set_arrival_ms(int64_t arrival_ms) { arrival_ms_ = arrival_ms; }

  // The record's own time if it has one.
  int64_t TimeOf(const logs::LogRecord& record);

  // On disk: docs/formats/kept.md.
  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  int64_t arrival_ms_ = 0;
  int64_t last_ms_ = std::numeric_limits<int64_t>::min();  // that was given
  uint32_t last_attempt_ = 0;
  std::optional<int64_t> last_step_;
};

}  // namespace lockstep::push
