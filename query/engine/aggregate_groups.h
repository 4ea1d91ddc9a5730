// AggregateGroups: which series an aggregation puts together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/engine/evaluated.h"

namespace lockstep::engine {

// The labels after `by` or `without`.
struct Grouping {
  std::vector<std::string> labels;
  bool without = false;

  // Of the group that a series with these labels belongs to.
  LabelSet GroupLabels(const LabelSet& labels) const;
};

struct AggregateGroup {
  LabelSet labels;
  std::vector<uint32_t> members;  // indices of series, ascending
};

// In order of appearance. Made once per aggregation, for all steps.
std::vector<AggregateGroup> GroupSeries(const std::vector<EvaluatedSeries>& series,
                                        const Grouping& grouping);

// All steps at which a member has a value lie in it. It begins at a multiple of 64, as columns do.
StepBlock SpanOf(const AggregateGroup& group, const std::vector<EvaluatedSeries>& series);

}  // namespace lockstep::engine
