#include "rules/kept_hook_actions.h"

#include "base/coding.h"

namespace lockstep::rules {
namespace {

constexpr char kActionsVersion = 1;

}  // namespace

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
