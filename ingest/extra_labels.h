// Labels that a request gives to all of its series, in place of what they have under these names.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "model/labels.h"

namespace lockstep {

class ExtraLabels {
 public:
  // The last value of a name counts; an empty one takes the label away.
  void Set(std::string_view name, std::string_view value);
  // "name=value". kInvalidArgument: it is none.
  absl::Status Add(std::string_view assignment);

  // The views live as long as this.
  void Apply(std::vector<LabelView>& labels) const;

  bool empty() const { return labels_.empty(); }
  const std::vector<std::pair<std::string, std::string>>& labels() const { return labels_; }

 private:
  std::vector<std::pair<std::string, std::string>> labels_;
};

}  // namespace lockstep
