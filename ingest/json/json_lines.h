// Converts JSON lines, VictoriaMetrics' import and export format, to a write request. Pure
// functions.
//
//   {"metric":{"__name__":"up","job":"x"},"values":[1,"Infinity",null],
//    "timestamps":[1700000000000,1700000015000,1700000030000]}
//
// Timestamps are Unix milliseconds. Values that JSON numbers cannot express are strings or null:
//
//   "Infinity", "-Infinity"  infinities; "Inf" and "-Inf" are accepted too
//   "NaN"                    NaN; every one becomes the normal NaN
//   null                     a stale marker, as in VictoriaMetrics
#pragma once

#include <string_view>

#include "base/status.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/extra_labels.h"
#include "ingest/write/limits.h"

namespace lockstep::json {

// Refuses lines that cannot be parsed and keeps the others. The result does not refer to `body`.
// Errors:
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeJsonLines(std::string_view body, const ExtraLabels& extra,
                                             const IngestLimits& limits);

}  // namespace lockstep::json
