// NCCL's debug log: collectives as they are called, and warnings.
//
// Source: NVIDIA/nccl, src/debug.cc and src/enqueue.cc.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewNcclDebug();
bool IsNcclDebug(std::string_view line);

}  // namespace lockstep::logs
