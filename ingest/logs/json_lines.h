// Logs of one JSON object a line: W&B's history and system metrics, NCCL's inspector, torchrun's error files, and
// what people write themselves.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

// Any object with a step, a time or a number.
std::unique_ptr<LogFormat> NewJsonLines();
std::unique_ptr<LogFormat> NewWandbHistory();
std::unique_ptr<LogFormat> NewWandbEvents();
std::unique_ptr<LogFormat> NewNcclInspector();
std::unique_ptr<LogFormat> NewTorchelasticError();

bool IsJsonObject(std::string_view line);
bool IsWandbHistory(std::string_view line);
bool IsWandbEvents(std::string_view line);
bool IsNcclInspector(std::string_view line);
bool IsTorchelasticError(std::string_view line);

}  // namespace lockstep::logs
