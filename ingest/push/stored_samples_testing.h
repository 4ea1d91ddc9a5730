// For tests: a store's content after some requests, as text. For each series and time the last
// sample wins.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "storage/write.h"

namespace lockstep::push {

class StoredSamples {
 public:
  void Write(const WriteRequest& request) {
    for (const SeriesWrite& series : request.series) {
      for (const Sample& sample : series.samples) {
        samples_[series.labels.ToString()][sample.timestamp_ms] = FormatSampleValue(sample.value);
      }
    }
  }

  // One line per series: "{labels} 1.5@1000 2@2000".
  std::string text() const {
    std::string text;
    for (const auto& [labels, samples] : samples_) {
      text.append(labels);
      for (const auto& [time_ms, value] : samples) {
        absl::StrAppendFormat(&text, " %s@%d", value, time_ms);
      }
      text.push_back('\n');
    }
    return text;
  }

 private:
  std::map<std::string, std::map<int64_t, std::string>> samples_;
};

}  // namespace lockstep::push
