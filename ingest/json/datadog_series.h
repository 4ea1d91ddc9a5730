// Series as Datadog's clients send them, in the JSON of its API v1 and v2, to a write request. Pure
// functions.
//
//   v1  {"series":[{"metric":"sys.load","points":[[1700000000,1.5]],"host":"n1","device":"sda",
//                   "tags":["env:prod","canary"]}]}
//   v2  {"series":[{"metric":"sys.load","points":[{"timestamp":1700000000,"value":1.5}],
//                   "resources":[{"type":"host","name":"n1"}],"tags":["env:prod"]}]}
//
// Names and tags become what VictoriaMetrics makes of them: a metric keeps its dots; a tag
// "name:value" is a label, one without a value has "no_label_value"; host, device, source_type_name
// and resources are labels; a tag called host is exported_host.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "ingest/decoded_write.h"
#include "ingest/limits.h"

namespace lockstep::json {

// Both versions; points may be of either. `now_ms` is the time of points whose time is not above
// zero. Series that cannot be read are refused, and the others taken. Nothing in the result refers
// to `body`. Errors:
//   kInvalidArgument           the body is no such JSON
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeDatadogSeries(std::string_view body, int64_t now_ms,
                                                 const IngestLimits& limits);

}  // namespace lockstep::json
