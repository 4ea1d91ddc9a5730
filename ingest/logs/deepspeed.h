// DeepSpeed's standard output: step, throughput and timer lines, and the communication log.
//
// Source: deepspeedai/DeepSpeed, deepspeed/runtime/engine.py, deepspeed/utils/timer.py,
// deepspeed/utils/comms_logging.py.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewDeepspeed();
bool IsDeepspeed(std::string_view line);
bool IsDeepspeedComms(std::string_view line);

}  // namespace lockstep::logs
