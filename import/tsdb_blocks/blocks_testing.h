// Helpers for the tests in this folder.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "import/tsdb_blocks/block_reader.h"
#include "tests/support/source_dir.h"

namespace lockstep::tsdb_blocks {

// Reads a file in testdata/.
inline std::string ReadBlockFile(std::string_view name) {
  const std::string path = SourcePath("import/tsdb_blocks/testdata/" + std::string(name));
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// "time:value" for each float, with the value's bits, so that NaN compares too.
inline std::string DescribeFloats(const SampleColumns& samples) {
  std::string text;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    absl::StrAppendFormat(&text, "%d:%x ", samples.timestamps_ms[i],
                          std::bit_cast<uint64_t>(samples.values[i]));
  }
  return text;
}

}  // namespace lockstep::tsdb_blocks
