// What takes the most room among series: names, values and pairs, counted over any number of indexes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/string_map.h"
#include "model/labels.h"
#include "storage/cardinality.h"

namespace lockstep {

// Keeps the largest rows, largest first, ties in order of name.
void KeepLargest(std::vector<NamedCount>& rows, size_t limit);

// Holds every distinct label pair that was added, as long as it lives. Not thread-safe.
class CardinalityCounter {
 public:
  // A target or a metric (label_split.h) that so many series have. Its tenant is not counted as a label.
  void Add(const LabelSet& labels, uint64_t series_count);

  // The lists of `stats`, at most `limit` rows each.
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
