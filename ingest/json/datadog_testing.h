// Helpers shared by the tests of Datadog's formats.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/write/decoded_write.h"

namespace lockstep::json {

inline constexpr int64_t kNowMs = 9000;

// The labels and samples of each series.
inline std::vector<std::string> Texts(const DecodedWrite& decoded) {
  std::vector<std::string> lines;
  for (const SeriesWrite& series : decoded.request.series) {
    std::string line = series.labels.ToString();
    for (const Sample& sample : series.samples) {
      line +=
          " " + testing::PrintToString(sample.value) + "@" + std::to_string(sample.timestamp_ms);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace lockstep::json
