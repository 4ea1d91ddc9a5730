// Formats query API responses as text. Pure. All functions fail with kFailedPrecondition and the
// server's message if the response is an error, and with kDataLoss if it is not a valid API
// response.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/terminal/sparkline.h"

namespace lockstep::cli {

// The text for a result without series.
inline constexpr const char* kNoResult = "(no result)\n";

// A table with one row per sample.
absl::StatusOr<std::string> AnswerText(std::string_view json);
// The same as CSV.
absl::StatusOr<std::string> AnswerCsv(std::string_view json);

// The times of a range query.
struct TimeGrid {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 1;
};

// A table with one row per series: its labels; its lowest, highest and last value; and its curve,
// with a blank for each step without a sample.
absl::StatusOr<std::string> CurvesText(std::string_view json, const TimeGrid& grid, Glyphs glyphs);

}  // namespace lockstep::cli
