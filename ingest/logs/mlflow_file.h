// A metric's file in MLflow's file store: time in milliseconds, value, step. The path has the name.
//
// Source: mlflow/mlflow, mlflow/store/tracking/file_store.py.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewMlflowFile();
bool IsMlflowLine(std::string_view line);

}  // namespace lockstep::logs
