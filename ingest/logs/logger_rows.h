// Rows of the catalogue: names in files that loggers write.
#pragma once

#include <span>

#include "ingest/logs/metric_rows.h"

namespace lockstep::logs {

std::span<const MetricRow> GenericRows();
std::span<const MetricRow> LoggedRows();

}  // namespace lockstep::logs
