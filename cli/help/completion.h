// Shell completion scripts for the program. Pure.
#pragma once

#include <string>

#include "cli/help/command_tree.h"

namespace lockstep::cli {

// For bash 4 and later: source it, or install it in bash-completion's folder under the program's
// name. Needs nothing but bash.
std::string BashCompletion(const Command& program);

// For zsh: install it as _lockstep in a folder of $fpath, or source it after compinit.
std::string ZshCompletion(const Command& program);

}  // namespace lockstep::cli
