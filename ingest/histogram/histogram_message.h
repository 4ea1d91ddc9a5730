// Native histograms of remote write 1.0 and 2.0: encodes, decodes and validates the protobuf
// message. Source: Prometheus, prompb/types.proto and prompb/io/prometheus/write/v2/types.proto
// (Histogram; the latter has a start timestamp), and model/histogram (Validate).
#pragma once

#include <protozero/pbf_writer.hpp>
#include <string_view>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

// Decodes one message, integer or float. Bucket deltas become absolute counts. Errors:
//   kInvalidArgument  the histogram is invalid; the message says why
// Throws protozero::exception if the bytes are not a protobuf message.
absl::StatusOr<HistogramSample> DecodeHistogramMessage(std::string_view message);

// Writes the fields of a float histogram and its time, but not its start timestamp, which remote
// write 1.0 lacks.
void PutHistogram(const HistogramSample& sample, protozero::pbf_writer& message);

}  // namespace lockstep
