// A table for a terminal: columns as wide as their widest cell. Pure.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as many cells as the header
};

// The last column is aligned to the right, the others to the left.
std::string ToText(const Table& table);

}  // namespace lockstep::cli
