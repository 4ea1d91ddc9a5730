// The formats of training logs, by name and by their looks. Pure functions.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

struct LogFormatKind {
  std::string_view name;
  bool (*is_line)(std::string_view line);  // unmistakably one of this format's
  bool is_first_line;                      // `is_line` is asked of a stream's first line alone
  std::unique_ptr<LogFormat> (*make)();
};

// In the order in which they are looked for.
std::span<const LogFormatKind> LogFormatKinds();
std::vector<std::string_view> LogFormatNames();

// Null: no such format.
const LogFormatKind* LogFormatByName(std::string_view name);

// The format that `line` shows, if it does. `is_first` of the stream's lines that are not empty.
const LogFormatKind* LogFormatOfLine(std::string_view line, bool is_first);

}  // namespace lockstep::logs
