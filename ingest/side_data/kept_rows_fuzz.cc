// Feeds kept rows of metadata and exemplars: whatever decodes must encode and decode to the same
// again.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "ingest/side_data/kept_rows.h"

namespace lockstep {
namespace {

constexpr size_t kMaxRowBytes = 1 << 20;

void CheckMetadataRow(std::string_view row) {
  std::vector<MetadataEntry> entries;
  if (!DecodeKeptMetadata(row, entries)) return;
  std::vector<MetadataStore::Metric> metrics;
  for (const MetadataEntry& entry : entries) metrics.push_back({entry.metric, {entry.metadata}});
  std::vector<MetadataEntry> again;
  for (const std::string& kept : EncodeKeptMetadata(metrics, kMaxRowBytes)) {
    LOCKSTEP_CHECK(DecodeKeptMetadata(kept, again));
  }
  LOCKSTEP_CHECK(again.size() == entries.size());
  for (size_t i = 0; i < again.size(); ++i) {
    LOCKSTEP_CHECK(again[i].metric == entries[i].metric);
    LOCKSTEP_CHECK(again[i].metadata == entries[i].metadata);
  }
}

void CheckExemplarRow(std::string_view row) {
  ExemplarStore store;
  const bool is_good = DecodeKeptExemplars(row, [&](const LabelSet& series, Exemplar exemplar) {
    (void)store.Add(series, std::move(exemplar));
  });
  if (!is_good) return;
  ExemplarStore again;
  for (const std::string& kept : EncodeKeptExemplars(store, kMaxRowBytes)) {
    const auto add = [&](const LabelSet& series, Exemplar exemplar) {
      LOCKSTEP_CHECK(again.Add(series, std::move(exemplar)) == ExemplarStore::Added::kYes);
    };
    LOCKSTEP_CHECK(DecodeKeptExemplars(kept, add));
  }
  LOCKSTEP_CHECK(again.exemplar_count() == store.exemplar_count());
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view row(reinterpret_cast<const char*>(data), size);
  lockstep::CheckMetadataRow(row);
  lockstep::CheckExemplarRow(row);
  return 0;
}
