// Which series a list of matchers selects, and which labels those have.
//
// The order of work: labels with a known value are intersected first, shortest postings first. Each
// further matcher then either asks every series that is left (when those are few) or finds the values it
// wants and takes their postings. A matcher that matches "" also selects series without the label, so it
// takes away the values that it does not match instead.
//
// Const reads only: as SeriesIndex, any number of threads while nobody writes.
#pragma once

#include <span>
#include <vector>

#include "base/query_budget.h"
#include "base/status.h"
#include "model/matcher.h"
#include "storage/index/label_pairs.h"
#include "storage/index/postings.h"
#include "storage/index/series_table.h"

namespace lockstep {

// Ascending. Fails only with the error of `budget`, which may be null.
absl::StatusOr<Postings> SelectSeries(const LabelPairs& pairs, const SeriesTable& series,
                                      PostingsView all_ids, std::span<const Matcher> matchers,
                                      const QueryBudget* budget);

// The names of all labels of the series `ids`; unique, in no order.
std::vector<NameId> NamesOf(const LabelPairs& pairs, const SeriesTable& series, PostingsView ids);

// The pairs with the name `name` of the series `ids`; unique, in no order.
std::vector<PairId> PairsOf(const LabelPairs& pairs, const SeriesTable& series, NameId name,
                            PostingsView ids);

}  // namespace lockstep
