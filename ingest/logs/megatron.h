// Megatron-LM's standard output: iteration lines, timers, memory, and the straggler report.
//
// Source: NVIDIA/Megatron-LM, megatron/training/training.py (training_log), megatron/core/timers.py,
// megatron/core/utils.py (StragglerDetector).
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewMegatron();
bool IsMegatronIteration(std::string_view line);
bool IsMegatronStragglerReport(std::string_view line);

}  // namespace lockstep::logs
