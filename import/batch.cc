#include "import/batch.h"

#include <snappy.h>

#include <utility>

#include "ingest/remote_write_encoder.h"

namespace lockstep::importer {

absl::Status Batch::Add(const Line& line) {
  switch (line.kind) {
    case LineKind::kSample:
      return AddSample(line);
    case LineKind::kType:
      metadata_[Unescape(line.metric)].type = std::string(line.text);
      break;
    case LineKind::kHelp:
      metadata_[Unescape(line.metric)].help = Unescape(line.text);
      break;
    case LineKind::kUnit:
      metadata_[Unescape(line.metric)].unit = std::string(line.text);
      break;
    case LineKind::kNothing:
    case LineKind::kEof:
      break;
  }
  return absl::OkStatus();
}

absl::Status Batch::AddSample(const Line& line) {
  if (!line.timestamp_ms) return absl::InvalidArgumentError("the sample has no time");
  auto at = series_index_.find(line.series);
  if (at == series_index_.end()) {
    LOCKSTEP_ASSIGN_OR_RETURN(LabelSet labels, ParseSeries(line.series));
    at = series_index_.emplace(std::string(line.series), request_.series.size()).first;
    request_.series.push_back({std::move(labels), {}, {}});
  }
  request_.series[at->second].samples.push_back({*line.timestamp_ms, line.value});
  ++sample_count_;
  return absl::OkStatus();
}

std::string Batch::Encode() const {
  std::vector<MetadataEntry> metadata;
  for (const auto& [metric, about] : metadata_) metadata.push_back({metric, about});
  const std::string message = EncodeRemoteWrite(request_, metadata);
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  return body;
}

void Batch::Clear() {
  request_.series.clear();
  series_index_.clear();
  metadata_.clear();
  sample_count_ = 0;
}

}  // namespace lockstep::importer
