// A table for a terminal, and the same as CSV. Pure.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as many cells as the header
};

// Columns as wide as their widest cell. Those of numbers alone are aligned to the right, others to the
// left. No line ends in blanks, and
// no cell says anything to the terminal (cli/visible_text.h).
std::string ToText(const Table& table);

// Quoted as RFC 4180 has it; a line for the header, and one for each row.
std::string ToCsv(const Table& table);

}  // namespace lockstep::cli
