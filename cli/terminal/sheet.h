// A sheet: numbers, texts and curves in named columns, formatted as a table for people, CSV or
// JSON. Pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/terminal/sparkline.h"

namespace lockstep::cli {

struct SheetColumn {
  std::string_view name;     // in CSV and JSON, with the unit: "step_seconds"
  std::string_view heading;  // for people: "step ms"
  double factor = 1;         // from the unit of `name` to that of `heading`
  int decimals = 0;          // for people
};

// Empty if unknown; else a text, a number or a curve.
using SheetCell = std::variant<std::monostate, std::string, double, std::vector<double>>;

// NaN becomes an empty cell.
SheetCell KnownNumber(double value);

struct Sheet {
  std::vector<SheetColumn> columns;
  std::vector<std::vector<SheetCell>> rows;  // as many cells per row as columns
};

// Curves become sparklines that share one scale per column; differences below a tenth do not fill
// the height.
std::string ForPeople(const Sheet& sheet, Glyphs glyphs);

// Numbers have the fewest digits that round-trip; the numbers of a curve are separated by spaces.
std::string AsCsv(const Sheet& sheet);

// An array of objects and a newline. Unknown values are null.
std::string AsJson(const Sheet& sheet);

}  // namespace lockstep::cli
