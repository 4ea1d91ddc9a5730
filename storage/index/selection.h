// Selects the label sets that a list of matchers matches.
//
// Labels with a known value are intersected first, shortest postings first. Each further matcher
// then either checks every set that is left (if these are few) or finds the values that it matches
// and uses their postings. A matcher that matches "" also selects sets without the label, so it
// instead excludes the sets with values that it does not match.
//
// Reads only: as for SeriesIndex, any number of threads while no thread writes.
#pragma once

#include <optional>
#include <span>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "model/matcher.h"
#include "storage/index/label_sets.h"
#include "storage/index/postings.h"

namespace lockstep {

// Ascending; nullopt: all sets. Fails only with the error of `budget`, which may be null.
absl::StatusOr<std::optional<Postings>> SelectLabelSets(const LabelSets& sets,
                                                        std::span<const Matcher* const> matchers,
                                                        const QueryBudget* budget);

}  // namespace lockstep
