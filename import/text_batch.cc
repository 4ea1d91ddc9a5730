#include "import/text_batch.h"

namespace lockstep::importer {

using exposition::EntryKind;
using exposition::TextEntry;

absl::Status TextBatch::Add(const TextEntry& entry) {
  switch (entry.kind) {
    case EntryKind::kSample:
      return AddSample(entry);
    case EntryKind::kType:
      metadata_[exposition::Unescape(entry.metric)].type = std::string(entry.text);
      break;
    case EntryKind::kHelp:
      metadata_[exposition::Unescape(entry.metric)].help = exposition::Unescape(entry.text);
      break;
    case EntryKind::kUnit:
      metadata_[exposition::Unescape(entry.metric)].unit = std::string(entry.text);
      break;
    case EntryKind::kHistogram:
    case EntryKind::kExemplar:
    case EntryKind::kNothing:
    case EntryKind::kEof:
      break;
  }
  return absl::OkStatus();
}

absl::Status TextBatch::AddSample(const TextEntry& entry) {
  if (!entry.timestamp_ms) return absl::InvalidArgumentError("the sample has no time");
  auto at = series_index_.find(entry.series);
  if (at == series_index_.end()) {
    LOCKSTEP_RETURN_IF_ERROR(exposition::ParseSeries(entry.series, format_, labels_));
    at = series_index_.emplace(std::string(entry.series), request_.series.size()).first;
    request_.series.push_back({LabelSet::OfSorted(labels_.labels), {}, {}});
  }
  request_.series[at->second].samples.push_back({*entry.timestamp_ms, entry.value});
  ++sample_count_;
  return absl::OkStatus();
}

std::vector<MetadataEntry> TextBatch::metadata() const {
  std::vector<MetadataEntry> entries;
  for (const auto& [metric, about] : metadata_) entries.push_back({metric, about});
  return entries;
}

void TextBatch::Clear() {
  request_.series.clear();
  series_index_.clear();
  metadata_.clear();
  sample_count_ = 0;
}

}  // namespace lockstep::importer
