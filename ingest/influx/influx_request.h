// Converts InfluxDB line protocol to a write request. Pure functions.
//
// A field becomes a sample of the series measurement_field, or just measurement if the field is
// called "value"; tags become labels. Characters that are invalid in Prometheus names become
// underscores. Booleans become 1 and 0; text is counted and dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"

namespace lockstep::influx {

// The unit of timestamps.
enum class Precision { kNanoseconds, kMicroseconds, kMilliseconds, kSeconds, kMinutes, kHours };

// InfluxDB 1's and 2's names: ns, n, us, u, µ, ms, s, m, h; "" is nanoseconds. Nothing if unknown.
std::optional<Precision> ParsePrecision(std::string_view name);

struct LineTerms {
  Precision precision = Precision::kNanoseconds;
  std::string database{};  // label "db" for series without that tag; "": none
  int64_t now_ms = 0;      // the time of points without a timestamp
};

// Refuses lines that cannot be parsed and keeps the others. The result does not refer to `body`.
// Errors:
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeLines(std::string_view body, const LineTerms& terms,
                                         const IngestLimits& limits);

}  // namespace lockstep::influx
