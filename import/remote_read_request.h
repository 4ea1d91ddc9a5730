// What a remote read asks a Prometheus for: prometheus.ReadRequest. Pure function.
//
//   ReadRequest   1 repeated Query    2 repeated accepted response types, the best first
//   Query         1 start ms          2 end ms, both inclusive    3 repeated LabelMatcher
//   LabelMatcher  1 type              2 name                      3 value
//
// Source: Prometheus, prompb/remote.proto and types.proto.
#pragma once

#include <string>
#include <vector>

#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep::importer {

// One query for the series that match all of them, snappy-compressed; as streamed chunks, or else as samples.
std::string EncodeReadRequest(const std::vector<Matcher>& matchers, const TimeRange& range);

}  // namespace lockstep::importer
