// Finds training log formats by name or from their lines. Pure functions.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ingest/logs/record/log_format.h"

namespace lockstep::logs {

struct LogFormatKind {
  std::string_view name;
  bool (*is_line)(std::string_view line);  // whether it clearly has this format
  bool is_first_line;                      // `is_line` applies only to a stream's first line
  std::unique_ptr<LogFormat> (*make)();
};

// In order of detection.
std::span<const LogFormatKind> LogFormatKinds();
std::vector<std::string_view> LogFormatNames();

// Null if there is no such format.
const LogFormatKind* LogFormatByName(std::string_view name);

// The format that `line` reveals, or null. `is_first`: the stream's first non-empty line.
const LogFormatKind* LogFormatOfLine(std::string_view line, bool is_first);

}  // namespace lockstep::logs
