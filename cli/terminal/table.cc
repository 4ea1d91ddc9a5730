#include "cli/terminal/table.h"

#include <algorithm>
#include <cstdlib>

#include "cli/terminal/visible_text.h"

namespace lockstep::cli {
namespace {

struct ColumnShape {
  size_t width = 0;
  bool is_of_numbers = true;
};

// Counts characters, not bytes: UTF-8 continuation bytes have no width.
size_t Width(const std::string& cell) {
  return static_cast<size_t>(std::count_if(cell.begin(), cell.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// NaN and infinities count as numbers. Empty cells are compatible with any column.
bool MayBeNumber(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return end == cell.c_str() + cell.size();
}

std::vector<ColumnShape> ShapesOf(const Table& table) {
  std::vector<ColumnShape> shapes(table.header.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].width = Width(table.header[i]);
    for (const auto& row : table.rows) {
      shapes[i].width = std::max(shapes[i].width, Width(row[i]));
      shapes[i].is_of_numbers = shapes[i].is_of_numbers && MayBeNumber(row[i]);
    }
  }
  return shapes;
}

void AppendRow(const std::vector<std::string>& row, const std::vector<ColumnShape>& shapes,
               std::string& text) {
  for (size_t i = 0; i < row.size(); ++i) {
    const std::string padding(shapes[i].width - Width(row[i]), ' ');
    if (i > 0) text += "  ";
    text += shapes[i].is_of_numbers ? padding + row[i] : row[i] + padding;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text += '\n';
}

void MakeVisible(std::vector<std::string>& cells) {
  for (std::string& cell : cells) cell = VisibleCell(cell);
}

void AppendCsvRow(const std::vector<std::string>& row, std::string& text) {
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += ',';
    if (row[i].find_first_of(",\"\r\n") == std::string::npos) {
      text += row[i];
      continue;
    }
    text += '"';
    for (const char c : row[i]) text += c == '"' ? "\"\"" : std::string(1, c);
    text += '"';
  }
  text += '\n';
}

}  // namespace

std::string ToText(const Table& given) {
  Table table = given;
  MakeVisible(table.header);
  for (auto& row : table.rows) MakeVisible(row);
  const std::vector<ColumnShape> shapes = ShapesOf(table);
  std::string text;
  AppendRow(table.header, shapes, text);
  for (const auto& row : table.rows) AppendRow(row, shapes, text);
  return text;
}

std::string ToCsv(const Table& table) {
  std::string text;
  AppendCsvRow(table.header, text);
  for (const auto& row : table.rows) AppendCsvRow(row, text);
  return text;
}

}  // namespace lockstep::cli
