#include "ingest/side_data/kept_rows.h"

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/coding.h"

namespace lockstep {
namespace {

// Packs entries into rows of bounded size that begin with a version.
class KeptRowCutter {
 public:
  KeptRowCutter(char version, size_t max_row_bytes)
      : version_(version), max_row_bytes_(max_row_bytes) {}

  // Whether an entry of `size` bytes needs a new row.
  bool WouldBegin(size_t size) const {
    return rows_.empty() || rows_.back().size() + size > max_row_bytes_;
  }
  void Begin() { rows_.emplace_back(1, version_); }
  // Drops entries that fit into no row.
  void Add(std::string_view entry) {
    if (1 + entry.size() > max_row_bytes_) return;
    if (WouldBegin(entry.size())) Begin();
    rows_.back().append(entry);
  }
  std::vector<std::string> Take() { return std::move(rows_); }

 private:
  const char version_;
  const size_t max_row_bytes_;
  std::vector<std::string> rows_;
};

constexpr char kExemplarVersion = 1;
// The maximum size of an index and of a time.
constexpr size_t kMaxVarintBytes = 10;

void PutExemplar(std::string& out, const Exemplar& exemplar) {
  PutVarintSigned64(out, exemplar.timestamp_ms);
  PutFixed64(out, std::bit_cast<uint64_t>(exemplar.value));
  PutLengthPrefixed(out, exemplar.labels.bytes());
}

bool GetLabels(std::string_view& in, LabelSet& labels) {
  std::string_view bytes;
  if (!GetLengthPrefixed(in, bytes)) return false;
  absl::StatusOr<LabelSet> read = LabelSet::FromBytes(bytes);
  if (!read.ok()) return false;
  labels = *std::move(read);
  return true;
}

bool GetExemplar(std::string_view& in, Exemplar& exemplar) {
  uint64_t bits = 0;
  if (!GetVarintSigned64(in, exemplar.timestamp_ms) || !GetFixed64(in, bits)) return false;
  exemplar.value = std::bit_cast<double>(bits);
  return GetLabels(in, exemplar.labels);
}

constexpr char kMetadataVersion = 1;

}  // namespace

std::vector<std::string> EncodeKeptExemplars(const ExemplarStore& store, size_t max_row_bytes) {
  KeptRowCutter rows(kExemplarVersion, max_row_bytes);
  absl::flat_hash_map<LabelSet, uint64_t>
      places;  // series already named in the row, numbered from 1
  std::string entry, told;
  store.ForEachInOrderOfArrival([&](const LabelSet& series, const Exemplar& exemplar) {
    told.clear();
    PutExemplar(told, exemplar);
    const size_t most_bytes = series.bytes().size() + told.size() + 2 * kMaxVarintBytes;
    if (rows.WouldBegin(most_bytes)) {
      rows.Begin();
      places.clear();
    }
    entry.clear();
    const auto [place, is_new] = places.try_emplace(series, places.size() + 1);
    PutVarint64(entry, is_new ? 0 : place->second);
    if (is_new) PutLengthPrefixed(entry, series.bytes());
    rows.Add(entry.append(told));
  });
  return rows.Take();
}

bool DecodeKeptExemplars(std::string_view row,
                         absl::FunctionRef<void(const LabelSet&, Exemplar)> take) {
  if (!row.starts_with(kExemplarVersion)) return false;
  row.remove_prefix(1);
  std::vector<LabelSet> named;
  while (!row.empty()) {
    uint64_t place = 0;
    if (!GetVarint64(row, place) || place > named.size()) return false;
    if (place == 0) {
      if (!GetLabels(row, named.emplace_back())) return false;
      place = named.size();
    }
    Exemplar exemplar;
    if (!GetExemplar(row, exemplar)) return false;
    take(named[place - 1], std::move(exemplar));
  }
  return true;
}

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
