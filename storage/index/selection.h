// Which label sets a list of matchers selects.
//
// The order of work: labels with a known value are intersected first, shortest postings first. Each
// further matcher then either asks every set that is left (when those are few) or finds the values it
// wants and takes their postings. A matcher that matches "" also selects sets without the label, so it
// takes away the values that it does not match instead.
//
// Const reads only: as SeriesIndex, any number of threads while nobody writes.
#pragma once

#include <optional>
#include <span>

#include "base/query_budget.h"
#include "base/status.h"
#include "model/matcher.h"
#include "storage/index/label_sets.h"
#include "storage/index/postings.h"

namespace lockstep {

// Ascending; nullopt: all of them. Fails only with the error of `budget`, which may be null.
absl::StatusOr<std::optional<Postings>> SelectLabelSets(const LabelSets& sets,
                                                        std::span<const Matcher* const> matchers,
                                                        const QueryBudget* budget);

}  // namespace lockstep
