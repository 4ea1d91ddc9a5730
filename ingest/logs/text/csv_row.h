// Splits a line of comma-separated values. Pure functions.
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
