// Series as the Datadog agent sends them, the protobuf message MetricPayload of its API v2, to a
// write request. Pure functions.
//
//   MetricPayload  1 series ...
//   series         1 resources ... {1 type, 2 name}   2 metric   3 tags ...
//                  4 points ... {1 value (double), 2 timestamp (seconds)}   7 source_type_name
//
// Names, tags and resources become what they become in JSON (datadog_series.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "ingest/limits.h"

namespace lockstep::json {

// `now_ms` is the time of points whose time is not above zero. Series that cannot be used are
// refused, and the others taken. Nothing in the result refers to `body`. Errors:
//   kInvalidArgument           the body is no such message
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeDatadogPayload(std::string_view body, int64_t now_ms,
                                                  const IngestLimits& limits);

}  // namespace lockstep::json
