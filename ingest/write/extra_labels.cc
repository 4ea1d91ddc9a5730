#include "ingest/write/extra_labels.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep {

void ExtraLabels::Set(std::string_view name, std::string_view value) {
  const auto same = std::ranges::find(labels_, name, &std::pair<std::string, std::string>::first);
  if (same != labels_.end()) {
    same->second = value;
  } else {
    labels_.emplace_back(name, value);
  }
}

absl::Status ExtraLabels::Add(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not name=value", assignment));
  }
  Set(assignment.substr(0, equals), assignment.substr(equals + 1));
  return absl::OkStatus();
}

void ExtraLabels::Apply(std::vector<LabelView>& labels) const {
  for (const auto& [name, value] : labels_) {
    std::erase_if(labels, [&name](const LabelView& label) { return label.name == name; });
    labels.push_back({name, value});
  }
}

}  // namespace lockstep
