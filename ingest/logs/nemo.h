// NeMo 2: the progress printer's lines, and the step times that exp_manager logs.
//
// Source: NVIDIA/NeMo, nemo/lightning/pytorch/callbacks (ProgressPrinter), nemo/utils/exp_manager.py
// (DeltaTimingCallback).
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewNemo();
bool IsNemoProgress(std::string_view line);
bool IsNemoDeltaTiming(std::string_view line);

}  // namespace lockstep::logs
