// Comma-separated values below a header: Lightning's CSVLogger, DeepSpeed's monitor, and other tables.
//
// Source: Lightning-AI/pytorch-lightning, lightning/fabric/loggers/csv_logs.py; deepspeedai/DeepSpeed,
// deepspeed/monitor/csv_monitor.py.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewCsv();
// Its "step" counts samples.
std::unique_ptr<LogFormat> NewDeepspeedCsv();

// Of a stream's first line.
bool IsLightningHeader(std::string_view line);
bool IsCsvHeader(std::string_view line);

}  // namespace lockstep::logs
