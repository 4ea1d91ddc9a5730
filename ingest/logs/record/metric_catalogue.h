// The catalogue: the meaning of names in logs. A name identifies a record (time, rank, job) or
// names a measurement. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ingest/logs/record/log_record.h"
#include "ingest/logs/record/metric_rows.h"

namespace lockstep::logs {

struct KeyMeaning {
  KeyRole role;
  uint8_t step_precedence = 0;
  std::string_view label = {};  // for KeyRole::kLabel
};

// The role of a name in a JSON line, a CSV header or similar; nothing if it names a value.
std::optional<KeyMeaning> MeaningOfKey(std::string_view written);

// Describes a name by the first of `sources` that has it. Otherwise it becomes a metric name
// without a known unit.
MetricKey DescribeMetric(std::span<const MetricSource> sources, std::string_view written);

// Replaces each run of bytes that are invalid in a metric name by '_'.
std::string CleanMetricName(std::string_view written);

}  // namespace lockstep::logs
