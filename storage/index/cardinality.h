// The names, values and pairs that most series have, counted over any number of indexes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/string_map.h"
#include "model/labels.h"
#include "storage/cardinality.h"

namespace lockstep {

// Keeps the largest rows, sorted largest first, then by name.
void KeepLargest(std::vector<NamedCount>& rows, size_t limit);

// Holds every distinct label pair that was added for its lifetime. Not thread-safe.
class CardinalityCounter {
 public:
  // Adds a target or a metric (label_split.h) with this number of series. Its tenant is not counted
  // as a label.
  void Add(const LabelSet& labels, uint64_t series_count);

  // Fills the lists of `stats` with at most `limit` rows each.
  void ListLargest(size_t limit, CardinalityStats& stats) const;

 private:
  struct Label {
    StringMap<uint64_t> series_by_value;
    uint64_t byte_count = 0;
  };

  std::vector<NamedCount> ValuesOf(std::string_view label, size_t limit) const;

  StringMap<Label> labels_;
};

}  // namespace lockstep
