// Which series an aggregation combines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/engine/values/evaluated.h"

namespace lockstep::engine {

// The labels after `by` or `without`.
struct Grouping {
  std::vector<std::string> labels;
  bool without = false;

  // The labels of the group that a series with these labels belongs to.
  LabelSet GroupLabels(const LabelSet& labels) const;
};

struct AggregateGroup {
  LabelSet labels;
  std::vector<uint32_t> members;  // indices of series, ascending
};

// Groups in order of appearance. Computed once per aggregation, for all steps.
std::vector<AggregateGroup> GroupSeries(const std::vector<EvaluatedSeries>& series,
                                        const Grouping& grouping);

// A block that contains all steps at which a member has a value. Begins at a multiple of 64, like
// columns.
StepBlock SpanOf(const AggregateGroup& group, const std::vector<EvaluatedSeries>& series);

}  // namespace lockstep::engine
