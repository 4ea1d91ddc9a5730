// HookPolicy: whether a hook may act now: on each unit once per window, on few units, and not too
// fast. A unit is a node or an NVLink domain, which is drained as a whole. No side effects beyond
// its own state; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/labels.h"
#include "rules/config/hook_config.h"

namespace lockstep::rules {

// The unit that `hook` would act on for an alert with these labels; "" if no label names one, or if
// the value contains anything but letters, digits and ".-_:", so that it cannot be an option or a
// path.
std::string UnitOf(const HookConfig& hook, const LabelSet& labels);

// Whether the hook applies to an alert with these labels.
bool Matches(const HookConfig& hook, const LabelSet& labels);

// An action of a hook on a unit.
struct HookAction {
  std::string hook;
  std::string unit;
  int64_t time_ms = 0;  // Unix time

  bool operator==(const HookAction&) const = default;
};

class HookPolicy {
 public:
  enum class Verdict { kAct, kDoneBefore, kTooSoon, kTooMany };

  HookPolicy() = default;
  // `done` are earlier actions.
  explicit HookPolicy(std::span<const HookAction> done);

  // Decides whether the hook may act; kAct counts as done.
  Verdict Ask(const RemediationConfig& config, const std::string& hook, const std::string& unit,
              int64_t now_ms);
  // Undoes an action that was counted but not carried out.
  void TakeBack(const std::string& hook, const std::string& unit) { done_ms_.erase({hook, unit}); }
  // The actions that still count, sorted by hook and unit.
  std::vector<HookAction> Done() const;

 private:
  std::map<std::pair<std::string, std::string>, int64_t> done_ms_;  // by hook and unit
};

// "acts", "already done"..., for the log.
std::string_view Name(HookPolicy::Verdict verdict);

// Encodes actions as a row that survives restarts. Format: docs/formats/kept.md.
std::string EncodeKeptHookActions(std::span<const HookAction> actions);
// Appends the actions of a row in order; returns false if the row is malformed.
[[nodiscard]] bool DecodeKeptHookActions(std::string_view row, std::vector<HookAction>& actions);

}  // namespace lockstep::rules
