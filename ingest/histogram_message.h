// Native histograms of remote write, 1.0 and 2.0: the protobuf message, and what makes it a valid histogram.
// Source: Prometheus, prompb/types.proto and prompb/io/prometheus/write/v2/types.proto (Histogram; the
// second has a start timestamp), and model/histogram (Validate).
#pragma once

#include <string_view>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

// Decodes one message, integer or float. Bucket deltas become absolute counts. Errors:
//   kInvalidArgument  the histogram breaks the rules; the message says which
// Throws protozero::exception when the bytes are no protobuf message.
absl::StatusOr<HistogramSample> DecodeHistogramMessage(std::string_view message);

}  // namespace lockstep
