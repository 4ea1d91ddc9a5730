// Converts series from the Datadog agent, the protobuf message MetricPayload of API v2, to a write
// request. Pure functions.
//
//   MetricPayload  1 series ...
//   series         1 resources ... {1 type, 2 name}   2 metric   3 tags ...
//                  4 points ... {1 value (double), 2 timestamp (seconds)}   7 source_type_name
//
// Names, tags and resources are converted as in JSON (datadog_series.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"

namespace lockstep::json {

// Points whose time is not above zero get `now_ms`. Refuses invalid series and keeps the others.
// The result does not refer to `body`. Errors:
//   kInvalidArgument           the body is not such a message
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeDatadogPayload(std::string_view body, int64_t now_ms,
                                                  const IngestLimits& limits);

}  // namespace lockstep::json
