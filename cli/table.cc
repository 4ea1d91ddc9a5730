#include "cli/table.h"

#include <algorithm>

namespace lockstep::cli {
namespace {

// Characters, not bytes: UTF-8 continuation bytes take no room.
size_t Width(const std::string& cell) {
  return static_cast<size_t>(std::count_if(cell.begin(), cell.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

void AppendRow(const std::vector<std::string>& row, const std::vector<size_t>& widths,
               std::string& text) {
  for (size_t i = 0; i < row.size(); ++i) {
    const std::string padding(widths[i] - Width(row[i]), ' ');
    const bool last = i + 1 == row.size();
    text += last ? padding + row[i] + "\n" : row[i] + padding + "  ";
  }
}

}  // namespace

std::string ToText(const Table& table) {
  std::vector<size_t> widths(table.header.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  };
  widen(table.header);
  for (const auto& row : table.rows) widen(row);
  std::string text;
  AppendRow(table.header, widths, text);
  for (const auto& row : table.rows) AppendRow(row, widths, text);
  return text;
}

}  // namespace lockstep::cli
