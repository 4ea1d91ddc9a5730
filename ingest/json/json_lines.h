// Samples as lines of JSON, as VictoriaMetrics imports and exports them. Pure functions.
//
//   {"metric":{"__name__":"up","job":"x"},"values":[1,"Infinity",null],
//    "timestamps":[1700000000000,1700000015000,1700000030000]}
//
// Times are Unix milliseconds. JSON has no words for some values, so these are texts or null:
//
//   "Infinity", "-Infinity"  infinities; "Inf" and "-Inf" are read, too
//   "NaN"                    no number; every one becomes the ordinary one
//   null                     a stale marker, which VictoriaMetrics writes so, too
#pragma once

#include <string_view>

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "ingest/extra_labels.h"
#include "ingest/limits.h"

namespace lockstep::json {

// Lines that cannot be read are refused, and the others taken. Nothing in the result refers to
// `body`. Errors:
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeJsonLines(std::string_view body, const ExtraLabels& extra,
                                             const IngestLimits& limits);

}  // namespace lockstep::json
