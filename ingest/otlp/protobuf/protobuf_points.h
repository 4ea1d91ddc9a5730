// Decodes OTLP data points in protobuf. Pure functions; they throw protozero::exception. The
// messages must outlive the points. Unknown fields are skipped.
//
//   NumberDataPoint       7 attributes  2 start  3 time  4 double  6 sfixed64  5 exemplars  8 flags
//   HistogramDataPoint    9 attributes  2 start  3 time  4 count  5 sum  6 bucket_counts
//                         7 explicit_bounds  8 exemplars  10 flags
//   ExponentialHistogramDataPoint
//                         1 attributes  2 start  3 time  4 count  5 sum  6 scale  7 zero_count
//                         8 positive  9 negative  10 flags  11 exemplars  14 zero_threshold
//   Buckets               1 offset  2 bucket_counts
//   SummaryDataPoint      7 attributes  2 start  3 time  4 count  5 sum  6 quantile_values  8 flags
//   ValueAtQuantile       1 quantile  2 value
//   Exemplar              7 filtered_attributes  2 time  3 double  6 sfixed64  4 span_id
//                         5 trace_id
//
// Source: OpenTelemetry, opentelemetry/proto/metrics/v1/metrics.proto.
#pragma once

#include <string_view>

#include "ingest/otlp/points/metric_points.h"

namespace lockstep::otlp {

NumberPoint ReadNumberPoint(std::string_view message);
HistogramPoint ReadHistogramPoint(std::string_view message);
ExponentialHistogramPoint ReadExponentialHistogramPoint(std::string_view message);
SummaryPoint ReadSummaryPoint(std::string_view message);

}  // namespace lockstep::otlp
