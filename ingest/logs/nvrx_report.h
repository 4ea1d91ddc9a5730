// The straggler reports of NVIDIA's resiliency extension: a score for each rank.
//
// Source: NVIDIA/nvidia-resiliency-ext, ptl_resiliency/straggler_det_callback.py.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewNvrxReport();
bool IsNvrxReport(std::string_view line);

}  // namespace lockstep::logs
