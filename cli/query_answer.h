// Answers of the query API as text. Pure. All fail with kFailedPrecondition and the server's words if the answer
// is an error, with kDataLoss if it is none of the API's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/sparkline.h"

namespace lockstep::cli {

// The text of an answer without any series.
inline constexpr const char* kNoResult = "(no result)\n";

// A table with a row for each sample.
absl::StatusOr<std::string> AnswerText(std::string_view json);
// The same as CSV.
absl::StatusOr<std::string> AnswerCsv(std::string_view json);

// The times that a range query asks about.
struct TimeGrid {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 1;
};

// A table with a row for each series: its labels, lowest, highest and last value, and its curve, in which a step
// without a sample is a blank.
absl::StatusOr<std::string> CurvesText(std::string_view json, const TimeGrid& grid, Glyphs glyphs);

}  // namespace lockstep::cli
