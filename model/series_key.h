// SeriesKey: 128 bits that stand for the labels of a series in memory.
//
// Keyed by numbers that each process draws anew: among a billion series the chance that any two
// share one is below 10^-20, and nobody can send series that do. So a series is found without its
// labels being compared. Never on disk. Safe from any thread.
//
// The bits are those of the labels as remote write 1.0 sends them, sorted by name: for each label
//   0x0a, varint length of what follows | 0x0a, varint length, name | 0x12, varint length, value
// so that the key of a series on the wire is one pass over bytes that nobody has to take apart.
//
// Source of the mixing: Wang Yi, "wyhash" (public domain): 64 by 64 bit products, folded.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "model/labels.h"

namespace lockstep {

struct SeriesKey {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const SeriesKey&, const SeriesKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SeriesKey& key) {
    return H::combine(std::move(h), key.low);
  }
};

// Equal for equal labels in one process.
SeriesKey SeriesKeyOf(const LabelSet& labels);

// Of labels in the form above. Bytes that are another form of the same labels have another key.
SeriesKey SeriesKeyOfWire(std::string_view bytes);

}  // namespace lockstep
