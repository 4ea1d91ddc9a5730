// The catalogue: what a name in a log means. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ingest/logs/log_record.h"
#include "ingest/logs/metric_rows.h"

namespace lockstep::logs {

// A name that no row has becomes a metric name, and its unit is not known. Of `sources` the first that has it.
MetricKey DescribeMetric(std::span<const MetricSource> sources, std::string_view written);

// Bytes that a metric's name may not have become '_', several of them one.
std::string CleanMetricName(std::string_view written);

}  // namespace lockstep::logs
