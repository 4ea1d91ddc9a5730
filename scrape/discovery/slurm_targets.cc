#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "scrape/discovery/meta_labels.h"
#include "scrape/discovery/sources.h"

namespace lockstep::scrape {
namespace {

struct NodeField {
  std::string_view key;
  std::string_view label;
  bool is_list;
};

// Fields that become labels unchanged. Lists are surrounded by commas, so that ",gpu," matches a
// whole item.
constexpr std::array kNodeFields = {
    NodeField{"NodeName", "node_name", false},
    NodeField{"NodeHostName", "node_hostname", false},
    NodeField{"Partitions", "partitions", true},
    NodeField{"Gres", "gres", false},
    NodeField{"AvailableFeatures", "features", true},
    NodeField{"ActiveFeatures", "active_features", true},
    NodeField{"Arch", "arch", false},
    NodeField{"CPUTot", "cpus", false},
    NodeField{"RealMemory", "memory_megabytes", false},
    NodeField{"Version", "version", false},
};
constexpr std::string_view kNodeAddressKey = "NodeAddr";
constexpr std::string_view kNodeStateKey = "State";
// Free texts, which end a line and may contain anything.
constexpr std::array<std::string_view, 3> kFreeTexts = {"Reason", "Comment", "Extra"};

// Suffixes of a state stand for flags. Source: sinfo(1), "Node state codes".
constexpr std::pair<char, std::string_view> kStateMarks[] = {
    {'*', "NOT_RESPONDING"},   {'~', "POWERED_DOWN"},  {'#', "POWERING_UP"},
    {'!', "POWER_DOWN"},       {'%', "POWERING_DOWN"}, {'$', "MAINTENANCE"},
    {'@', "REBOOT_REQUESTED"}, {'^', "REBOOT_ISSUED"}, {'-', "PLANNED"}};

// Takes the text up to `mark`, or all of it, from `rest`.
std::string_view CutAt(char mark, std::string_view& rest) {
  const size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view cut = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return cut;
}

bool IsKnown(std::string_view value) {
  return !value.empty() && value != "(null)" && value != "N/A" && value != "n/a";
}

class NodeLine {
 public:
  explicit NodeLine(std::string_view text) {
    while (!text.empty()) {
      std::string_view word = CutAt(' ', text);
      const size_t mark = word.find('=');
      // The second word of a value.
      if (mark == std::string_view::npos) continue;
      const std::string_view key = word.substr(0, mark);
      if (std::ranges::find(kFreeTexts, key) != kFreeTexts.end()) break;
      values_.emplace_back(key, word.substr(mark + 1));
    }
  }

  // "" if unknown.
  std::string_view Get(std::string_view key) const {
    const auto found = std::ranges::find(values_, key, &Value::first);
    return found == values_.end() || !IsKnown(found->second) ? "" : found->second;
  }

 private:
  using Value = std::pair<std::string_view, std::string_view>;

  std::vector<Value> values_;
};

// "DOWN*+DRAIN" is the state DOWN with the flags DRAIN and NOT_RESPONDING.
void SetState(std::string_view text, MetaLabels& labels) {
  std::set<std::string_view> flags;
  bool is_first = true;
  while (!text.empty()) {
    std::string_view word = CutAt('+', text);
    for (; !word.empty() && !absl::ascii_isalnum(static_cast<unsigned char>(word.back()));
         word.remove_suffix(1)) {
      for (const auto& [mark, flag] : kStateMarks) {
        if (word.back() == mark) flags.insert(flag);
      }
    }
    if (is_first) {
      labels.Set("state", word);
    } else if (!word.empty()) {
      flags.insert(word);
    }
    is_first = false;
  }
  std::string list = flags.empty() ? "" : ",";
  for (const std::string_view flag : flags) absl::StrAppendFormat(&list, "%s,", flag);
  labels.Set("state_flags", list);
}

absl::StatusOr<TargetGroup> NodeTarget(const NodeLine& line, uint16_t port) {
  MetaLabels labels("__meta_slurm_");
  for (const NodeField& field : kNodeFields) {
    const std::string_view value = line.Get(field.key);
    if (value.empty()) continue;
    labels.Set(field.label, field.is_list ? absl::StrFormat(",%s,", value) : std::string(value));
  }
  const std::string_view name = line.Get("NodeName"), given = line.Get(kNodeAddressKey);
  const std::string_view address = given.empty() ? name : given;
  labels.Set("node_address", address);
  SetState(line.Get(kNodeStateKey), labels);
  TargetGroup group;
  group.source = absl::StrFormat("slurm/%s", name);
  group.addresses = {HostWithPort(address, port)};
  LOCKSTEP_ASSIGN_OR_RETURN(group.labels, labels.Build());
  return group;
}

}  // namespace

absl::StatusOr<FoundTargets> SlurmTargets(std::string_view text, uint16_t port) {
  constexpr std::string_view kNoNodes = "No nodes in the system";
  constexpr size_t kMaxLineBytes = 64 << 10;
  FoundTargets found;
  bool is_output = false;
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = CutAt('\n', text);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    is_output = true;
    if (line.starts_with(kNoNodes)) continue;
    if (!line.starts_with("NodeName=") || line.size() > kMaxLineBytes || !IsValidUtf8(line)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "line %d is not a node as `scontrol show nodes --oneliner` prints it", number));
    }
    const NodeLine node(line);
    if (node.Get("NodeName").empty()) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(TargetGroup group, NodeTarget(node, port));
    LOCKSTEP_RETURN_IF_ERROR(found.Add(std::move(group)));
  }
  if (is_output) return found;
  return absl::InvalidArgumentError("the list of nodes is empty");
}

}  // namespace lockstep::scrape
