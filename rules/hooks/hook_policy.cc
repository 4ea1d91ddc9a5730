#include "rules/hooks/hook_policy.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "base/coding.h"

namespace lockstep::rules {
namespace {

bool IsPlainName(std::string_view name) {
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' ||
           c == ':';
  };
  return !name.empty() && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, is_plain);
}

constexpr char kActionsVersion = 1;

}  // namespace

std::string UnitOf(const HookConfig& hook, const LabelSet& labels) {
  if (!hook.domain_label.empty() && labels.Has(hook.domain_label)) {
    const std::string_view domain = labels.Get(hook.domain_label);
    return IsPlainName(domain) ? std::string(domain) : "";
  }
  for (const std::string& name : hook.node_labels) {
    if (!labels.Has(name)) continue;
    const std::string_view node = labels.Get(name);
    return IsPlainName(node) ? std::string(node) : "";
  }
  return "";
}

bool Matches(const HookConfig& hook, const LabelSet& labels) {
  return std::ranges::all_of(
      hook.match, [&](const auto& wanted) { return labels.Get(wanted.first) == wanted.second; });
}

HookPolicy::HookPolicy(std::span<const HookAction> done) {
  for (const HookAction& action : done) done_ms_[{action.hook, action.unit}] = action.time_ms;
}

HookPolicy::Verdict HookPolicy::Ask(const RemediationConfig& config, const std::string& hook,
                                    const std::string& unit, int64_t now_ms) {
  const int64_t window_ms = config.window.count(), interval_ms = config.min_interval.count();
  std::erase_if(done_ms_, [&](const auto& done) {
    return now_ms - done.second >= std::max(window_ms, interval_ms);
  });
  std::set<std::string> units = {unit};
  bool is_too_soon = false;
  for (const auto& [key, time_ms] : done_ms_) {
    const int64_t age_ms = now_ms - time_ms;
    is_too_soon = is_too_soon || age_ms < interval_ms;
    if (age_ms >= window_ms) continue;
    if (key == std::pair(hook, unit)) return Verdict::kDoneBefore;
    units.insert(key.second);
  }
  if (units.size() > config.max_nodes) return Verdict::kTooMany;
  if (is_too_soon) return Verdict::kTooSoon;
  done_ms_[{hook, unit}] = now_ms;
  return Verdict::kAct;
}

std::vector<HookAction> HookPolicy::Done() const {
  std::vector<HookAction> done;
  for (const auto& [key, time_ms] : done_ms_) done.push_back({key.first, key.second, time_ms});
  return done;
}

std::string_view Name(HookPolicy::Verdict verdict) {
  switch (verdict) {
    case HookPolicy::Verdict::kAct:
      return "acts";
    case HookPolicy::Verdict::kDoneBefore:
      return "already done";
    case HookPolicy::Verdict::kTooSoon:
      return "waits: too soon after another action";
    case HookPolicy::Verdict::kTooMany:
      break;
  }
  return "does nothing: max_nodes reached in this window";
}

std::string EncodeKeptHookActions(std::span<const HookAction> actions) {
  std::string row(1, kActionsVersion);
  for (const HookAction& action : actions) {
    PutLengthPrefixed(row, action.hook);
    PutLengthPrefixed(row, action.unit);
    PutVarintSigned64(row, action.time_ms);
  }
  return row;
}

bool DecodeKeptHookActions(std::string_view row, std::vector<HookAction>& actions) {
  if (!row.starts_with(kActionsVersion)) return false;
  row.remove_prefix(1);
  while (!row.empty()) {
    std::string_view hook, unit;
    int64_t time_ms = 0;
    if (!GetLengthPrefixed(row, hook) || !GetLengthPrefixed(row, unit) ||
        !GetVarintSigned64(row, time_ms)) {
      return false;
    }
    actions.push_back({std::string(hook), std::string(unit), time_ms});
  }
  return true;
}

}  // namespace lockstep::rules
