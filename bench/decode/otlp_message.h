// Encodes samples as an OTLP metrics request, grouped as by the OpenTelemetry Collector after a
// scrape: a resource per job and instance, a gauge per metric name, a point per series.
#pragma once

#include <string>

#include "storage/write.h"

namespace lockstep {

// Each series must have one sample; all become gauges.
std::string OtlpProtobuf(const WriteRequest& request);
std::string OtlpJson(const WriteRequest& request);

}  // namespace lockstep
