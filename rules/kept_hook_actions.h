// What hooks did, as a row that outlives the server. On disk: docs/formats/kept.md. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/hook_policy.h"

namespace lockstep::rules {

std::string EncodeKeptHookActions(std::span<const HookAction> actions);
// Appends the actions of a row, in their order; false if it is malformed.
[[nodiscard]] bool DecodeKeptHookActions(std::string_view row, std::vector<HookAction>& actions);

}  // namespace lockstep::rules
