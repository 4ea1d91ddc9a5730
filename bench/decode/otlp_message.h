// Samples as a request of OTLP's metrics service, as the OpenTelemetry Collector groups what it has scraped: a
// resource for each job and instance, a gauge for each metric name, a point for each series.
#pragma once

#include <string>

#include "storage/storage.h"

namespace lockstep {

// Of series with one sample each; others than gauges are gauges too.
std::string OtlpProtobuf(const WriteRequest& request);
std::string OtlpJson(const WriteRequest& request);

}  // namespace lockstep
