// nanoGPT's standard output.
//
// Source: karpathy/nanoGPT, train.py.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewNanogpt();
bool IsNanogpt(std::string_view line);

}  // namespace lockstep::logs
