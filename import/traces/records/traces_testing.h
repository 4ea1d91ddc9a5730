// Helpers for the tests in this folder.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "import/traces/records/trace_record.h"
#include "tests/support/source_dir.h"

namespace lockstep::traces {

// Reads a file in testdata/.
inline std::string ReadTestFile(std::string_view name) {
  const std::string path = SourcePath("import/traces/testdata/" + std::string(name));
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::vector<TraceRecord> WithMetric(const std::vector<TraceRecord>& records,
                                           std::string_view metric) {
  std::vector<TraceRecord> found;
  for (const TraceRecord& record : records) {
    if (record.metric == metric) found.push_back(record);
  }
  return found;
}

// "" if there is no such label.
inline std::string LabelOf(const TraceRecord& record, std::string_view name) {
  for (const TraceLabel& label : record.labels) {
    if (label.name == name) return label.value;
  }
  return "";
}

}  // namespace lockstep::traces
