// A table formatted for a terminal or as CSV. Pure.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as many cells per row as the header
};

// Each column is as wide as its widest cell. Columns that contain only numbers are right-aligned,
// others left-aligned. No line ends in blanks, and no cell controls the terminal
// (cli/terminal/visible_text.h).
std::string ToText(const Table& table);

// Quoted as in RFC 4180; one line for the header and one per row.
std::string ToCsv(const Table& table);

}  // namespace lockstep::cli
