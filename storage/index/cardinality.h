// What takes the most room in an index: names, values and pairs, counted.
#pragma once

#include <cstddef>

#include "storage/index/label_pairs.h"
#include "storage/storage.h"

namespace lockstep {

// At most `limit` rows of each kind, largest first, ties in order of name. Memory is what the index
// itself holds for a label name: its values and their postings.
CardinalityStats CountCardinality(const LabelPairs& pairs, size_t limit);

}  // namespace lockstep
