// Labels that a request sets on all of its series, overriding their own. Pure.
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
  // The last value for a name wins; an empty one removes the label.
  void Set(std::string_view name, std::string_view value);
  // Parses "name=value"; otherwise kInvalidArgument.
  absl::Status Add(std::string_view assignment);

  // The views are valid as long as this object.
  void Apply(std::vector<LabelView>& labels) const;

  bool empty() const { return labels_.empty(); }
  const std::vector<std::pair<std::string, std::string>>& labels() const { return labels_; }

 private:
  std::vector<std::pair<std::string, std::string>> labels_;
};

}  // namespace lockstep
