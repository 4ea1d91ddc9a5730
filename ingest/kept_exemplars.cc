#include "ingest/kept_exemplars.h"

#include <bit>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/coding.h"
#include "ingest/kept_row_cutter.h"

namespace lockstep {
namespace {

constexpr char kExemplarVersion = 1;
// What a place in the row and a time take at most.
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

}  // namespace

std::vector<std::string> EncodeKeptExemplars(const ExemplarStore& store, size_t max_row_bytes) {
  KeptRowCutter rows(kExemplarVersion, max_row_bytes);
  absl::flat_hash_map<LabelSet, uint64_t> places;  // of the series that the row has named, from 1
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

}  // namespace lockstep
