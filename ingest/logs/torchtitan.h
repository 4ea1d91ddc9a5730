// torchtitan's log lines.
//
// Source: pytorch/torchtitan, torchtitan/components/metrics.py and torchtitan/tools/logging.py.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewTorchtitan();
bool IsTorchtitan(std::string_view line);

}  // namespace lockstep::logs
