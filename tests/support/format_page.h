// Reads the worked examples in docs/formats/ for tests, so that pages and code cannot diverge.
//
// An example is a fenced block whose first line is "```hex NAME". Each byte is two hex digits; the
// rest of a line after "#" or "|" is a comment.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/source_dir.h"

namespace lockstep {

// The bytes of example `name` in docs/formats/`page`. Adds a test failure if there is none.
inline std::string FormatPageExample(const std::string& page, const std::string& name) {
  std::ifstream file(SourcePath("docs/formats/" + page));
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
