// FamilyTable: the families of a shard that have series, and the places in them. A family is a pair of
// groups (part_numbers.h): a job and a metric name. Not thread-safe.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "storage/db/series_place.h"

namespace lockstep {

struct FamilyKey {
  uint32_t job = 0;
  uint32_t name = 0;
  friend bool operator==(const FamilyKey&, const FamilyKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const FamilyKey& key) {
    return H::combine(std::move(h), key.job, key.name);
  }
};

class FamilyTable {
 public:
  // A place for a series more. None is given out twice, be the series rolled back or removed.
  SeriesPlace Take(FamilyKey key);
  // A series that has its place, from disk.
  void Load(FamilyKey key, SeriesPlace place);
  // A series less. With its last series a family is forgotten; if it comes back it has another number.
  void Release(FamilyKey key);

  size_t size() const { return families_.size(); }

 private:
  struct Family {
    uint32_t number = 0;
    uint32_t next_ordinal = 0;
    uint32_t series_count = 0;
  };

  absl::flat_hash_map<FamilyKey, Family> families_;
  uint32_t next_number_ = 0;
};

}  // namespace lockstep
