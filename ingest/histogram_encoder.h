// A native histogram as the protobuf message that remote write sends: the counterpart of
// ingest/histogram_message.h. Pure functions.
#pragma once

#include <protozero/pbf_writer.hpp>

#include "model/sample.h"

namespace lockstep {

// The fields of a float histogram, with its time; not its start timestamp, which remote write 1.0 has not.
void PutHistogram(const HistogramSample& sample, protozero::pbf_writer& message);

}  // namespace lockstep
