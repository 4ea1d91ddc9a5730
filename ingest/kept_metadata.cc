#include "ingest/kept_metadata.h"

#include "base/coding.h"
#include "ingest/kept_row_cutter.h"

namespace lockstep {
namespace {

constexpr char kMetadataVersion = 1;

}  // namespace

std::vector<std::string> EncodeKeptMetadata(const std::vector<MetadataStore::Metric>& metrics,
                                            size_t max_row_bytes) {
  KeptRowCutter rows(kMetadataVersion, max_row_bytes);
  std::string entry;
  for (const MetadataStore::Metric& metric : metrics) {
    for (const MetricMetadata& metadata : metric.variants) {
      entry.clear();
      PutLengthPrefixed(entry, metric.name);
      PutLengthPrefixed(entry, metadata.type);
      PutLengthPrefixed(entry, metadata.help);
      PutLengthPrefixed(entry, metadata.unit);
      rows.Add(entry);
    }
  }
  return rows.Take();
}

bool DecodeKeptMetadata(std::string_view row, std::vector<MetadataEntry>& entries) {
  if (!row.starts_with(kMetadataVersion)) return false;
  row.remove_prefix(1);
  while (!row.empty()) {
    std::string_view metric, type, help, unit;
    if (!GetLengthPrefixed(row, metric) || !GetLengthPrefixed(row, type) ||
        !GetLengthPrefixed(row, help) || !GetLengthPrefixed(row, unit)) {
      return false;
    }
    entries.push_back(
        {std::string(metric), {std::string(type), std::string(help), std::string(unit)}});
  }
  return true;
}

}  // namespace lockstep
