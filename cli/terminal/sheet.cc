#include "cli/terminal/sheet.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "api/http/json_writer.h"
#include "base/text/float_format.h"
#include "cli/terminal/table.h"

namespace lockstep::cli {
namespace {

// The minimum height of a curve's scale, so that noise of one percent looks flat.
constexpr double kLeastHeight = 0.1;

SparkScale ScaleOfColumn(const Sheet& sheet, size_t column) {
  std::vector<double> all;
  for (const auto& row : sheet.rows) {
    const auto* curve = std::get_if<std::vector<double>>(&row[column]);
    if (curve != nullptr) all.insert(all.end(), curve->begin(), curve->end());
  }
  SparkScale scale = ScaleOf(all);
  scale.high = std::max(scale.high, scale.low + kLeastHeight * std::abs(scale.low));
  return scale;
}

// Formats a cell for people.
struct PeoplesText {
  const SheetColumn& column;
  SparkScale scale;
  Glyphs glyphs;

  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(double number) const {
    return absl::StrFormat("%.*f", column.decimals, number * column.factor);
  }
  std::string operator()(const std::vector<double>& curve) const {
    return Sparkline(curve, scale, glyphs);
  }
};

struct CsvText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(double number) const { return FormatSampleValue(number); }
  std::string operator()(const std::vector<double>& curve) const {
    std::string text;
    for (const double number : curve) {
      if (!text.empty()) text += ' ';
      text += FormatSampleValue(number);
    }
    return text;
  }
};

struct WriteJson {
  api::JsonWriter& json;

  void operator()(std::monostate) const { json.Null(); }
  void operator()(const std::string& text) const { json.Label(text); }
  void operator()(double number) const { json.Number(number); }
  void operator()(const std::vector<double>& curve) const { json.Value(curve); }
};

}  // namespace

SheetCell KnownNumber(double value) {
  if (std::isnan(value)) return {};
  return value;
}

std::string ForPeople(const Sheet& sheet, Glyphs glyphs) {
  Table table;
  table.rows.resize(sheet.rows.size());
  for (size_t i = 0; i < sheet.columns.size(); ++i) {
    const PeoplesText text{sheet.columns[i], ScaleOfColumn(sheet, i), glyphs};
    table.header.emplace_back(sheet.columns[i].heading);
    for (size_t row = 0; row < sheet.rows.size(); ++row) {
      table.rows[row].push_back(std::visit(text, sheet.rows[row][i]));
    }
  }
  return ToText(table);
}

std::string AsCsv(const Sheet& sheet) {
  Table table;
  for (const SheetColumn& column : sheet.columns) table.header.emplace_back(column.name);
  for (const auto& row : sheet.rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const SheetCell& cell : row) cells.push_back(std::visit(CsvText{}, cell));
  }
  return ToCsv(table);
}

std::string AsJson(const Sheet& sheet) {
  std::string text;
  api::JsonWriter json(text);
  json.BeginArray();
  for (const auto& row : sheet.rows) {
    json.BeginObject();
    for (size_t i = 0; i < row.size(); ++i) {
      json.Key(sheet.columns[i].name);
      std::visit(WriteJson{json}, row[i]);
    }
    json.EndObject();
  }
  json.EndArray();
  return text + "\n";
}

}  // namespace lockstep::cli
