// SampleCursor: the newest sample of a series at or before a time that only moves forward.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/sample.h"

namespace lockstep::engine {

// Borrows the columns. Calls of Advance() must not go back in time.
class SampleCursor {
 public:
  struct Found {
    bool exists = false;
    int64_t timestamp_ms = 0;
    double value = 0;
    const HistogramSample* histogram = nullptr;  // if set, `value` is unused
    int64_t start_timestamp_ms = 0;
  };

  explicit SampleCursor(const SampleColumns& columns) : columns_(columns) {}

  // The newest sample in (time_ms - lookback_ms, time_ms], including stale markers.
  Found Advance(int64_t time_ms, int64_t lookback_ms);

 private:
  const SampleColumns& columns_;
  size_t next_float_ = 0;  // the first after the time
  size_t next_histogram_ = 0;
};

bool IsStaleMarker(const SampleCursor::Found& found);

// From the first to the last sample; an empty range (min above max) if there are none.
TimeRange ExtentOf(const SampleColumns& columns);

}  // namespace lockstep::engine
