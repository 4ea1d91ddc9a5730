// Worked examples out of docs/formats/, for tests: the pages and the code cannot drift apart.
//
// An example is a fenced block whose first line is "```hex NAME". Bytes are two hex digits each;
// what follows a "#" or a "|" on a line is commentary.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace lockstep {

// The bytes of example `name` of docs/formats/`page`; a failed expectation if there is none.
inline std::string FormatPageExample(const std::string& page, const std::string& name) {
  std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR) + "/docs/formats/" + page);
  std::string line, bytes;
  bool inside = false;
  while (std::getline(file, line)) {
    if (!inside) {
      inside = line == "```hex " + name;
      continue;
    }
    if (line == "```") return bytes;
    std::istringstream digits(line.substr(0, line.find_first_of("#|")));
    for (std::string byte; digits >> byte;) {
      bytes += static_cast<char>(std::stoi(byte, nullptr, 16));
    }
  }
  ADD_FAILURE() << page << " has no example " << name;
  return {};
}

}  // namespace lockstep
