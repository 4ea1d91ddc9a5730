// What takes the most room in an index: names, values and pairs, counted.
#pragma once

#include <cstddef>

#include "storage/index/label_sets.h"
#include "storage/index/series_table.h"
#include "storage/storage.h"

namespace lockstep {

// At most `limit` rows of each kind, largest first, ties in order of name. Memory is what the index
// itself holds for a label name: its values, their postings, and its labels in targets and metrics.
CardinalityStats CountCardinality(const LabelSets& targets, const LabelSets& metrics,
                                  const SeriesTable& series, size_t limit);

}  // namespace lockstep
