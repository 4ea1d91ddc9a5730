// The arguments and environment of a hook's command. No label value can become a command or an
// option.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "rules/alerts/alert.h"
#include "rules/config/hook_config.h"

namespace lockstep::rules {

struct HookCommand {
  std::vector<std::string> arguments;  // the program first
  // "LOCKSTEP_LABEL_node=gpu-7" for each label whose name is valid in a variable, whatever its
  // value.
  std::vector<std::string> environment;
};

// Returns kInvalidArgument if the command's templates use a label value that contains anything but
// letters, digits and "._:/@%+,=-" or does not begin with a letter, a digit, '/' or '_': a shell or
// the program could interpret it.
absl::StatusOr<HookCommand> CommandOf(const HookConfig& hook, const Alert& alert);

}  // namespace lockstep::rules
