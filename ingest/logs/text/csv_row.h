// Splits a line of comma-separated values. Pure functions.
//
// A log is cut into lines before its format sees them, so cells contain no line ends. CSV files in
// which they may are read by import/traces/nsys/csv_rows.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::logs {

// The cells of `line`, unquoted; cells with escaped quotes are stored in `unquoted`. Both are
// reused.
void SplitCsvRow(std::string_view line, std::vector<std::string_view>& cells,
                 std::vector<std::string>& unquoted);

}  // namespace lockstep::logs
