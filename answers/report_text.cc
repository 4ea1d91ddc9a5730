// Renders a report as plain text or Markdown.
#include <algorithm>

#include "answers/report.h"

namespace lockstep::answers {
namespace {

using Row = std::vector<std::string>;

std::vector<size_t> WidthsOf(const std::vector<Row>& table) {
  std::vector<size_t> widths;
  for (const Row& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

void AppendRow(const Row& row, const std::vector<size_t>& widths, ReportFormat format,
               std::string& out) {
  const bool is_markdown = format == ReportFormat::kMarkdown;
  std::string line = is_markdown ? "|" : " ";
  for (size_t i = 0; i < row.size(); ++i) {
    line += ' ';
    line += row[i];
    line.append(widths[i] - row[i].size(), ' ');
    line += is_markdown ? " |" : " ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line;
  out += '\n';
}

void AppendTable(const std::vector<Row>& table, ReportFormat format, std::string& out) {
  const std::vector<size_t> widths = WidthsOf(table);
  for (size_t i = 0; i < table.size(); ++i) {
    AppendRow(table[i], widths, format, out);
    if (i > 0 || format != ReportFormat::kMarkdown) continue;
    Row rule;
    for (const size_t width : widths) rule.emplace_back(std::max<size_t>(width, 3), '-');
    AppendRow(rule, WidthsOf({rule, table[0]}), format, out);
  }
}

}  // namespace

std::string Rendered(const std::vector<ReportSection>& sections, ReportFormat format) {
  const bool is_markdown = format == ReportFormat::kMarkdown;
  std::string out;
  for (const ReportSection& section : sections) {
    if (!out.empty()) out += '\n';
    if (is_markdown) out += "## ";
    out += section.title;
    out += is_markdown ? "\n\n" : "\n";
    for (const std::string& sentence : section.sentences) {
      out += is_markdown ? "- " : "  ";
      out += sentence;
      out += '\n';
    }
    if (section.table.empty()) continue;
    if (is_markdown && !section.sentences.empty()) out += '\n';
    AppendTable(section.table, format, out);
  }
  return out;
}

}  // namespace lockstep::answers
