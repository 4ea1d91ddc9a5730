// Rules and rule groups as plain data, in Prometheus' terms.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::rules {

using std::chrono::milliseconds;

// By name. Unlike a label set, it keeps empty values: in a rule, they remove a label.
using Texts = std::map<std::string, std::string>;

enum class RuleKind { kRecording, kAlerting };

struct Rule {
  RuleKind kind = RuleKind::kRecording;
  std::string name;        // of the series or alert
  std::string expression;  // as formatted by the printer
  Texts labels;            // including the group's; for alerts, values are templates
  // For alerts only.
  milliseconds hold_duration{};    // `for`
  milliseconds keep_firing_for{};  // 0 if not set
  Texts annotations;               // values are templates

  bool operator==(const Rule&) const = default;
};

struct RuleGroup {
  std::string file;  // absolute
  std::string name;  // unique in its file
  std::string
      tenant;  // whose data it reads and writes, by its name in the store; a lockstep extension
  milliseconds interval{};
  milliseconds query_offset{};
  uint64_t limit = 0;  // on the series or alerts of one rule; 0 means no limit
  std::vector<Rule> rules;

  bool operator==(const RuleGroup&) const = default;
};

}  // namespace lockstep::rules
