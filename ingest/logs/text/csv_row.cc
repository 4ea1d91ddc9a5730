#include "ingest/logs/text/csv_row.h"

#include <algorithm>
#include <utility>

namespace lockstep::logs {
namespace {

// Takes a quoted cell; a quote inside is doubled.
std::string TakeQuotedCell(std::string_view& line) {
  std::string cell;
  line.remove_prefix(1);
  while (true) {
    const size_t quote = std::min(line.find('"'), line.size());
    cell.append(line.substr(0, quote));
    line.remove_prefix(std::min(line.size(), quote + 1));
    if (!line.starts_with('"')) break;
    cell.push_back('"');
    line.remove_prefix(1);
  }
  line.remove_prefix(std::min(line.find(','), line.size()));
  return cell;
}

}  // namespace

void SplitCsvRow(std::string_view line, std::vector<std::string_view>& cells,
                 std::vector<std::string>& unquoted) {
  cells.clear();
  unquoted.clear();
  // Keeps views of its strings valid.
  unquoted.reserve(static_cast<size_t>(std::ranges::count(line, '"')) / 2 + 1);
  while (true) {
    if (line.starts_with('"')) {
      unquoted.push_back(TakeQuotedCell(line));
      cells.push_back(unquoted.back());
    } else {
      const size_t comma = std::min(line.find(','), line.size());
      cells.push_back(line.substr(0, comma));
      line.remove_prefix(comma);
    }
    if (line.empty()) return;
    line.remove_prefix(1);
  }
}

}  // namespace lockstep::logs
