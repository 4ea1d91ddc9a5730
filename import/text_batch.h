// TextBatch: samples of consecutive lines of a text format, gathered by series into one write request. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/string_map.h"
#include "ingest/exposition/series_text.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/exposition/text_format.h"
#include "ingest/metadata_store.h"
#include "storage/storage.h"

namespace lockstep::importer {

class TextBatch {
 public:
  explicit TextBatch(exposition::TextFormat format) : format_(format) {}

  // Fails, and takes nothing, if labels are wrong or a sample has no time.
  absl::Status Add(const exposition::TextEntry& entry);

  size_t sample_count() const { return sample_count_; }
  const WriteRequest& request() const { return request_; }
  std::vector<MetadataEntry> metadata() const;
  void Clear();

 private:
  absl::Status AddSample(const exposition::TextEntry& entry);

  const exposition::TextFormat format_;
  exposition::SeriesLabels labels_;  // of the series that is added
  WriteRequest request_;
  StringMap<size_t> series_index_;  // into request_.series, by TextEntry::series
  std::map<std::string, MetricMetadata, std::less<>> metadata_;
  size_t sample_count_ = 0;
};

}  // namespace lockstep::importer
