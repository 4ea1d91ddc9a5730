// MatchGroups: which series of two vectors may meet, by the labels that they are matched on.
#pragma once

#include <cstdint>
#include <vector>

#include "query/engine/evaluated.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// The labels that `labels` is matched on: those named after `on`, or all but the ignored ones and the
// metric name.
LabelSet MatchLabels(const LabelSet& labels, const promql::VectorMatching& matching);

// Groups are numbered from 0, in order of appearance. Made once per operator, for all steps.
struct MatchGroups {
  struct Group {
    std::vector<uint32_t> left;  // indices of series
    std::vector<uint32_t> right;
  };
  std::vector<Group> groups;
  std::vector<uint32_t> left_group;  // of each series
  std::vector<uint32_t> right_group;

  static MatchGroups Of(const std::vector<EvaluatedSeries>& left,
                        const std::vector<EvaluatedSeries>& right,
                        const promql::VectorMatching& matching);
};

}  // namespace lockstep::engine
