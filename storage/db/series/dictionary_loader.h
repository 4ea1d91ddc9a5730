// DictionaryLoader: fills a dictionary from its rows when a shard is opened.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "storage/db/series/dictionary.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"

namespace lockstep {

// Maps numbers that rows use, of parts and series whose labels others have too, to the numbers in
// use.
using Replacements = absl::flat_hash_map<uint32_t, uint32_t>;

class DictionaryLoader {
 public:
  // `dictionary` is empty; both must outlive this.
  DictionaryLoader(const kv::Store& kv, Dictionary& dictionary)
      : kv_(kv), dictionary_(dictionary) {}

  // kDataLoss if the rows contradict one another.
  absl::Status Run();

  // Two rows have the same labels if the log kept a batch that the disk had failed to take, or if
  // rows of removed series could not be deleted. The later one of such series is in use; the other
  // holds at most samples that were never acknowledged. Journal blocks may still name the other.
  const Replacements& replaced_series() const { return series_; }

 private:
  absl::Status LoadParts(kv::DictionaryKind kind);
  absl::Status LoadPart(kv::DictionaryKind kind, uint32_t number, std::string_view value);
  absl::Status LoadAllSeries();
  absl::Status LoadRow(SeriesId row, std::string_view value);
  // Replaces the numbers in `parts` with the ones in use.
  absl::Status Resolve(SeriesId row, SeriesParts& parts);

  const kv::Store& kv_;
  Dictionary& dictionary_;
  Replacements targets_;
  Replacements metrics_;
  Replacements series_;
  SeriesId next_id_ = 0;
  std::vector<SeriesEntry> entries_;  // scratch
};

}  // namespace lockstep
