#include "storage/index/label_split.h"

#include "base/check.h"
#include "base/coding.h"

namespace lockstep {
namespace {

struct PackedLabel {
  std::string_view name;
  std::string_view bytes;  // name and value with their lengths
};

// Takes the first label off `rest`, which is not empty.
PackedLabel TakeLabel(std::string_view& rest) {
  const std::string_view all = rest;
  std::string_view name, value;
  const bool whole = GetLengthPrefixed(rest, name) && GetLengthPrefixed(rest, value);
  LOCKSTEP_CHECK(whole);
  return {name, all.substr(0, all.size() - rest.size())};
}

// Takes the labels whose names come before `name` off the front of `rest`.
std::string_view TakeLabelsBefore(std::string_view name, std::string_view& rest) {
  const std::string_view all = rest;
  while (!rest.empty()) {
    std::string_view behind = rest;
    if (TakeLabel(behind).name >= name) break;
    rest = behind;
  }
  return all.substr(0, all.size() - rest.size());
}

}  // namespace

bool IsMetricLabel(std::string_view name) {
  switch (name.empty() ? '\0' : name.front()) {
    case '_':
      return name == kMetricName;
    case 'c':
      return name == "cpu";
    case 'd':
      return name == "direction";
    case 'l':
      return name == "lane" || name == "le" || name == "link";
    case 'm':
      return name == "mode";
    case 'p':
      return name == "phase" || name == "port";
    case 'q':
      return name == "quantile";
    case 's':
      return name == "state";
    default:
      return false;
  }
}

// Copies neighbouring labels of one part at once.
void SplitLabels(const LabelSet& labels, std::string& target, std::string& metric) {
  target.clear();
  metric.clear();
  std::string_view rest = labels.bytes();
  std::string_view run = rest.substr(0, 0);
  std::string* part = &target;
  while (!rest.empty()) {
    const PackedLabel label = TakeLabel(rest);
    std::string* const part_of_label = IsMetricLabel(label.name) ? &metric : &target;
    if (part_of_label != part) {
      part->append(run);
      part = part_of_label;
      run = label.bytes;
    } else {
      run = std::string_view(run.data(), run.size() + label.bytes.size());
    }
  }
  part->append(run);
}

LabelSet MergeLabels(const LabelSet& target, const LabelSet& metric) {
  std::string bytes;
  bytes.reserve(target.bytes().size() + metric.bytes().size());
  std::string_view target_rest = target.bytes();
  std::string_view metric_rest = metric.bytes();
  while (!metric_rest.empty()) {
    const PackedLabel label = TakeLabel(metric_rest);
    bytes.append(TakeLabelsBefore(label.name, target_rest));
    bytes.append(label.bytes);
  }
  bytes.append(target_rest);
  return LabelSet::OfPacked(std::move(bytes));
}

}  // namespace lockstep
