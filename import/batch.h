// Batch: samples of consecutive lines, gathered by series into one write request. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/string_map.h"
#include "import/openmetrics_line.h"
#include "ingest/metadata_store.h"
#include "storage/storage.h"

namespace lockstep::importer {

class Batch {
 public:
  // Takes a line of any kind but kEof. Fails, and takes nothing, if its labels are wrong or a
  // sample has no time.
  absl::Status Add(const Line& line);

  size_t sample_count() const { return sample_count_; }
  bool empty() const { return sample_count_ == 0 && metadata_.empty(); }

  // The request as remote write 1.0 sends it: protobuf, snappy-compressed.
  std::string Encode() const;
  void Clear();

 private:
  absl::Status AddSample(const Line& line);

  WriteRequest request_;
  StringMap<size_t> series_index_;  // into request_.series, by Line::series
  std::map<std::string, MetricMetadata, std::less<>> metadata_;
  size_t sample_count_ = 0;
};

}  // namespace lockstep::importer
