// What a hook runs for an alert: its arguments and environment, so that no label's value becomes a command or an option.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "rules/alert.h"
#include "rules/config/hook_config.h"

namespace lockstep::rules {

struct HookCommand {
  std::vector<std::string> arguments;  // first the program
  // "LOCKSTEP_LABEL_node=gpu-7" for each label whose name a variable may have, whatever its value.
  std::vector<std::string> environment;
};

// kInvalidArgument if a label that the command's templates use has a value with anything but letters, digits and "._:/@%+,=-",
// or that begins with anything but a letter, a digit, '/' or '_': a shell or the program could take it for more than a value.
absl::StatusOr<HookCommand> CommandOf(const HookConfig& hook, const Alert& alert);

}  // namespace lockstep::rules
