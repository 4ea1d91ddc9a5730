// What is evaluated again and again: rules and their groups as plain data, in Prometheus' words.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::rules {

using std::chrono::milliseconds;

// By name. Unlike a label set it keeps empty values: in a rule they take a label away.
using Texts = std::map<std::string, std::string>;

enum class RuleKind { kRecording, kAlerting };

struct Rule {
  RuleKind kind = RuleKind::kRecording;
  std::string name;        // of the series, or of the alert
  std::string expression;  // as the printer writes it
  Texts labels;            // with those of the group; values of an alert's are templates
  // Of alerts alone.
  milliseconds hold_duration{};    // `for`
  milliseconds keep_firing_for{};  // 0: not at all
  Texts annotations;               // values are templates

  bool operator==(const Rule&) const = default;
};

struct RuleGroup {
  std::string file;  // absolute
  std::string name;  // once in its file
  std::string
      tenant;  // whose data it reads and writes, by the name in the store; lockstep's own key
  milliseconds interval{};
  milliseconds query_offset{};
  uint64_t limit = 0;  // on the series or alerts of one rule; 0: none
  std::vector<Rule> rules;

  bool operator==(const RuleGroup&) const = default;
};

}  // namespace lockstep::rules
