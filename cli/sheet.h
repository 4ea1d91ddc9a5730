// A sheet: numbers, texts and curves under named columns, and its forms: a table for people, CSV, JSON. Pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/sparkline.h"

namespace lockstep::cli {

struct SheetColumn {
  std::string_view name;     // in CSV and JSON, with the unit: "step_seconds"
  std::string_view heading;  // for people: "step ms"
  double factor = 1;         // from the unit of `name` to that of `heading`
  int decimals = 0;          // for people
};

// Nothing is known; or a text, a number, a curve.
using SheetCell = std::variant<std::monostate, std::string, double, std::vector<double>>;

// NaN is nothing known.
SheetCell KnownNumber(double value);

struct Sheet {
  std::vector<SheetColumn> columns;
  std::vector<std::vector<SheetCell>> rows;  // as many cells as columns
};

// Curves are sparklines, all of a column on one scale; differences below a tenth do not fill its height.
std::string ForPeople(const Sheet& sheet, Glyphs glyphs);

// Shortest digits that give the number again; the numbers of a curve with blanks between them.
std::string AsCsv(const Sheet& sheet);

// An array of objects, and the end of a line. What is not known is null.
std::string AsJson(const Sheet& sheet);

}  // namespace lockstep::cli
