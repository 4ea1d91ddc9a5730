// HookPolicy: whether a hook may act now: on each unit once in a window, on few of them, and not too fast. A unit is a
// node, or an NVLink domain, which is drained as a whole. Pure but for what it remembers; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/labels.h"
#include "rules/config/hook_config.h"

namespace lockstep::rules {

// What `hook` would act on by an alert with these labels; "" if they do not say, or not in letters, digits and
// ".-_:" alone, so that no value is taken for an option or a path.
std::string UnitOf(const HookConfig& hook, const LabelSet& labels);

// Whether the alert is one for the hook.
bool Matches(const HookConfig& hook, const LabelSet& labels);

// That a hook acted on a unit.
struct HookAction {
  std::string hook;
  std::string unit;
  int64_t time_ms = 0;  // Unix

  bool operator==(const HookAction&) const = default;
};

class HookPolicy {
 public:
  enum class Verdict { kAct, kDoneBefore, kTooSoon, kTooMany };

  HookPolicy() = default;
  // After these.
  explicit HookPolicy(std::span<const HookAction> done);

  // kAct counts as done.
  Verdict Ask(const RemediationConfig& config, const std::string& hook, const std::string& unit,
              int64_t now_ms);
  // What was counted was not done after all.
  void TakeBack(const std::string& hook, const std::string& unit) { done_ms_.erase({hook, unit}); }
  // What still counts, by hook and unit.
  std::vector<HookAction> Done() const;

 private:
  std::map<std::pair<std::string, std::string>, int64_t> done_ms_;  // by hook and unit
};

// "acts", "was done before"...: for the log.
std::string_view Name(HookPolicy::Verdict verdict);

}  // namespace lockstep::rules
