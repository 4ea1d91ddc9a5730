// Which info series and which of their labels info() adds.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "model/matcher.h"
#include "query/engine/evaluated.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// The second argument of info(), taken apart. Immutable.
class InfoSelection {
 public:
  // Without a second argument: target_info, all its labels.
  explicit InfoSelection(const promql::Call& call);

  // Whether a series of that name is an info series itself.
  bool IsInfoMetric(std::string_view metric_name) const;
  // Whether info series' label `name` is to be added.
  bool Adds(std::string_view name) const {
    return data_labels_.empty() || data_labels_.contains(name);
  }
  // Whether an element without any info series stays as it is; else it goes.
  bool KeepsUnmatched() const { return keeps_unmatched_; }
  // Of the info series that may go with any of `base`; empty when none can.
  std::vector<Matcher> MatchersFor(const std::vector<EvaluatedSeries>& base) const;

 private:
  std::vector<Matcher> name_matchers_;
  std::vector<Matcher> data_matchers_;
  StringSet data_labels_;
  bool keeps_unmatched_ = true;
};

// The labels by which series and info series find each other.
LabelSet IdentifyingLabels(const LabelSet& labels);

}  // namespace lockstep::engine
