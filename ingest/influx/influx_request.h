// A body of InfluxDB line protocol to a write request. Pure functions.
//
// A field becomes a sample of the series measurement_field, or measurement if the field is called
// "value", with the tags for labels. Characters that names of Prometheus do not have become
// underscores. Truth is 1 and 0; text is counted and left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "ingest/limits.h"

namespace lockstep::influx {

// The unit of times.
enum class Precision { kNanoseconds, kMicroseconds, kMilliseconds, kSeconds, kMinutes, kHours };

// As InfluxDB 1 and 2 name them: ns, n, us, u, µ, ms, s, m, h; "" is nanoseconds. Nothing for another one.
std::optional<Precision> ParsePrecision(std::string_view name);

struct LineTerms {
  Precision precision = Precision::kNanoseconds;
  std::string database{};  // the label "db" of series without a tag of that name; "": none
  int64_t now_ms = 0;      // the time of points without one
};

// Lines that cannot be read are refused, and the others taken. Nothing in the result refers to
// `body`. Errors:
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeLines(std::string_view body, const LineTerms& terms,
                                         const IngestLimits& limits);

}  // namespace lockstep::influx
