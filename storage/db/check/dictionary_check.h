// DictionaryCheck: checks every row of a shard's dictionary, and then knows which series exist and
// where their chunks are. A duplicate between two rows that a start repairs (dictionary_loader.h)
// is not damage; one that makes a start fail is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "storage/db/series/dictionary_row.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

// The series of a shard by the place of their chunks.
class PlacesOfSeries {
 public:
  // Returns false if another series has this place.
  bool Add(SeriesPlace place, SeriesId id) { return ids_.emplace(KeyOf(place), id).second; }
  // Null if there is none.
  const SeriesId* Find(SeriesPlace place) const {
    const auto found = ids_.find(KeyOf(place));
    return found == ids_.end() ? nullptr : &found->second;
  }

 private:
  static uint64_t KeyOf(SeriesPlace place) { return uint64_t{place.family} << 32 | place.ordinal; }
  absl::flat_hash_map<uint64_t, SeriesId> ids_;
};

class DictionaryCheck {
 public:
  using Damage = std::function<void(const std::string& where, const std::string& what)>;

  explicit DictionaryCheck(Damage damage) : damage_(std::move(damage)) {}

  // Add all rows of metrics and of targets, then those of series in the order of their keys.
  void AddRow(kv::DictionaryKind kind, std::string_view key, std::string_view value);

  const absl::flat_hash_set<SeriesId>& ids() const { return ids_; }
  const PlacesOfSeries& places() const { return places_; }

 private:
  using Numbers = absl::flat_hash_set<uint32_t>;

  void AddPart(kv::DictionaryKind kind, uint32_t number, std::string_view value);
  void AddSeriesRow(SeriesId row, std::string_view value);
  void AddSeries(const SeriesEntry& entry);

  const Damage damage_;
  Numbers targets_;
  Numbers metrics_;
  absl::flat_hash_set<SeriesId> ids_;
  PlacesOfSeries places_;
  uint64_t next_id_ = 0;              // one past the last series added
  std::vector<SeriesEntry> entries_;  // scratch
};

}  // namespace lockstep
