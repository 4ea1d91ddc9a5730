// What W&B's web page exports of a panel as CSV: a row a step, and of every run that the panel shows a column with each
// metric and, beside it, its lowest and highest value among grouped runs:
//
//   "Step","fine-sun-1 - loss","fine-sun-1 - loss__MIN","fine-sun-1 - loss__MAX"
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

// A record for each run of a row. Bounds are kept where they are not the value: as METRIC_min and METRIC_max.
std::unique_ptr<LogFormat> NewWandbExport();

bool IsWandbExport(std::string_view line);

}  // namespace lockstep::logs
