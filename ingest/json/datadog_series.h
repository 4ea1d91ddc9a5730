// Converts series from Datadog's clients, in the JSON of API v1 and v2, to a write request. Pure
// functions.
//
//   v1  {"series":[{"metric":"sys.load","points":[[1700000000,1.5]],"host":"n1","device":"sda",
//                   "tags":["env:prod","canary"]}]}
//   v2  {"series":[{"metric":"sys.load","points":[{"timestamp":1700000000,"value":1.5}],
//                   "resources":[{"type":"host","name":"n1"}],"tags":["env:prod"]}]}
//
// Names and tags are converted as in VictoriaMetrics: metric names keep their dots; a tag
// "name:value" becomes a label, a tag without a value has "no_label_value"; host, device,
// source_type_name and resources become labels; a tag called host becomes exported_host.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"

namespace lockstep::json {

// Accepts both versions, also mixed. Points whose time is not above zero get `now_ms`. Refuses
// invalid series and keeps the others. The result does not refer to `body`. Errors:
//   kInvalidArgument           the body is not such JSON
//   kOutOfRange, kUnavailable  over a limit, or no memory now
absl::StatusOr<DecodedWrite> DecodeDatadogSeries(std::string_view body, int64_t now_ms,
                                                 const IngestLimits& limits);

}  // namespace lockstep::json
